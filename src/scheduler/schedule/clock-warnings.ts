import { nextFireTime } from '#cron/index.ts';
import type { JsonObject } from '#json/index.ts';
import { getTimeZone, type OffsetChange } from '#time/index.ts';
import type { Timing } from './schedule.ts';

/** How far ahead is looked: each zone that has summer time begins and ends it within a year. */
const HORIZON_MS = 366 * 86_400_000;

const UTC = getTimeZone('UTC');

/** What a change of clocks does to a schedule. */
export interface ClockNote extends JsonObject {
  /** When the clocks change, an ISO time. */
  readonly at: string;
  readonly note: string;
}

/** The notes as they are told to whoever saves the schedule. */
export function clockWarnings(timing: Timing, now: number): string[] {
  return clockNotes(timing, now).map(({ note }) => note);
}

/**
 * What the next changes of its zone's clocks do to a schedule, a sentence each: times that are skipped do not fire,
 * times that come twice fire late. Under the rule `smooth` there is nothing to warn of.
 *
 * @param now epoch ms
 */
export function clockNotes(timing: Timing, now: number): ClockNote[] {
  const { cron, zone, startAt, endAt, dst } = timing;
  if (cron === null || dst === 'smooth') return [];
  const from = Math.max(now, startAt ?? now);
  const changes = zone.changesBetween(from, Math.min(from + HORIZON_MS, endAt ?? Infinity));
  return changes.flatMap((change) => {
    const { low, high } = wallTimes(change);
    // Read as UTC the wall times have no changes of their own.
    const planned = nextFireTime(cron, low - 1, UTC, { dst: 'quartz', until: high - 1 });
    if (planned === null) return [];
    return [{ at: new Date(change.at).toISOString(), note: sentence(change, planned, zone.id) }];
  });
}

/** What the clocks skip, or show twice: from `low`, before `high`. */
function wallTimes({ at, before, after }: OffsetChange) {
  return { low: at + Math.min(before, after), high: at + Math.max(before, after) };
}

function sentence(change: OffsetChange, planned: number, zone: string): string {
  const { low, high } = wallTimes(change);
  const span = `${zone} from ${localTime(low)} to ${localTime(high)}`;
  return change.after > change.before
    ? `Clocks skip in ${span}: what is planned in between does not fire, first ${localTime(planned)}`
    : `Clocks show twice in ${span}: what is planned in between fires the second time only, first ${localTime(planned)}`;
}

/** What a clock shows, without its zone. */
export function localTime(wall: number): string {
  return new Date(wall).toISOString().slice(0, 19);
}
