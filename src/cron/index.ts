/**
 * Cron expressions of the Quartz dialect and the instants they fire at.
 *
 * Words: an *expression* is parsed once and holds neither zone nor time; an *element* is a piece of a field
 * between commas; a *wall time* is what a clock in the zone shows. A search is a walk over integers: no date
 * objects, always bounded, strictly forward. Milliseconds never matter: firings lie on whole seconds.
 */
export type { CronExpression } from './cron-expression.ts';
export { type DaylightSaving, firstFireTime, nextFireTime, nextInUtc } from './next-fire-time.ts';
export { cronMistake, parseCron } from './parse-cron.ts';
