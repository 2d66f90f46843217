import { firstFireTime, nextFireTime } from '#cron/index.ts';
import { nextRepetition } from './repetition.ts';
import type { ScheduleDefinition, Timing } from './schedule.ts';

/** A simple trigger without a start time fires this long after its creation. */
const SIMPLE_START_DELAY_MS = 3_000;

/**
 * When a schedule fires first. All times are epoch ms by the database's clock; null for never. A simple trigger whose
 * start has passed fires at once; one that repeats fires then for all that has passed, and goes on in its own steps.
 *
 * @param now a cron firing in the current second still counts
 */
export function firstFiring(timing: Timing, now: number): number | null {
  const { cron, repetition, zone, startAt, endAt, dst } = timing;
  if (cron === null) {
    const start = startAt ?? Math.floor(now) + SIMPLE_START_DELAY_MS;
    const at = repetition === null ? start : Math.max(start, Math.floor(now));
    return endAt !== null && at > endAt ? null : at;
  }
  const from = Math.max(startAt ?? now, now);
  return firstFireTime(cron, from, zone, { dst, ...(endAt === null ? {} : { until: endAt }) });
}

/** When it fires next after `after`; a simple trigger that does not repeat fires once. */
export function nextFiring(timing: Timing, after: number): number | null {
  const { cron, repetition, zone, startAt, endAt, dst } = timing;
  if (repetition !== null && startAt !== null) {
    return nextRepetition(repetition, { startAt, after, until: endAt });
  }
  if (cron === null) return null;
  const from = Math.max(after, startAt === null ? after : startAt - 1);
  return nextFireTime(cron, from, zone, { dst, ...(endAt === null ? {} : { until: endAt }) });
}

/**
 * The definition as it is registered: a repeating one without startTime counts from its creation, and keeps to that
 * however long it goes on.
 *
 * @param before what is registered so far, if its times stay as they are
 */
export function anchored(definition: ScheduleDefinition, now: number, before?: ScheduleDefinition) {
  if (definition.repeatInterval === undefined || definition.startTime !== null) return definition;
  const firstAt = before?.firstAt ?? definition.firstAt ?? Math.floor(now) + SIMPLE_START_DELAY_MS;
  return { ...definition, firstAt };
}

/** The definition as it was declared. */
export function withoutAnchor({ firstAt, ...declared }: ScheduleDefinition): ScheduleDefinition {
  return declared;
}
