/**
 * Time: zones, local date-times, durations. Knows nothing of schedules.
 *
 * Words: an *instant* is a number of milliseconds since the epoch; a *wall time* is what a clock in a zone
 * shows, as the milliseconds UTC would have when it shows the same; a *period* is a stretch with one offset; a
 * *gap* are the wall times skipped when clocks go forward, an *overlap* those shown twice when they go back.
 * The id of a zone stays as it was given.
 */
export { daysInMonth, toCivilDate, toEpochDay, weekdayOf } from './calendar.ts';
export { addDuration, parseDuration, subtractDuration } from './duration.ts';
export { isInstant, parseInstant } from './instant.ts';
export { localDateTimeToInstant } from './local-date-time.ts';
export { monotonicMs } from './monotonic.ts';
export { stableTimeOrderedId } from './stable-time-ordered-id.ts';
export { timeOrderedId } from './time-ordered-id.ts';
export { getTimeZone, isTimeZone, type OffsetChange, type TimeZone, type WallMs } from './time-zone.ts';
