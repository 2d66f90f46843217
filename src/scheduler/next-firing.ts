import { firstFireTime, nextFireTime } from './cron/index.ts';
import type { Timing } from './schedule.ts';

/** A simple trigger without a start time fires this long after its creation. */
const SIMPLE_START_DELAY_MS = 3_000;

/**
 * When a schedule fires first. All times are epoch ms by the database's clock; null for never.
 *
 * @param now a cron firing in the current second still counts
 */
export function firstFiring(timing: Timing, now: number): number | null {
  const { cron, zone, startAt, endAt, dst } = timing;
  if (cron === null) {
    const at = startAt ?? Math.floor(now) + SIMPLE_START_DELAY_MS;
    return endAt !== null && at > endAt ? null : at;
  }
  const from = Math.max(startAt ?? now, now);
  return firstFireTime(cron, from, zone, { dst, ...(endAt === null ? {} : { until: endAt }) });
}

/** When it fires next after `after`; a simple trigger fires once. */
export function nextFiring(timing: Timing, after: number): number | null {
  const { cron, zone, startAt, endAt, dst } = timing;
  if (cron === null) return null;
  const from = Math.max(after, startAt === null ? after : startAt - 1);
  return nextFireTime(cron, from, zone, { dst, ...(endAt === null ? {} : { until: endAt }) });
}
