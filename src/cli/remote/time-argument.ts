import { parseInstant } from '#time/index.ts';
import { UsageError } from '../usage-error.ts';

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DAY_MS = 86_400_000;

/**
 * A time as people write it, epoch ms: an ISO time, `now`, `-10m`, `yesterday`, or `02:00`, `today 02:00` and
 * `yesterday 02:00` in the time zone of this machine; `02:00` alone is the last one. NaN for anything else.
 */
export function readTime(text: string, now: number): number {
  const asked = text.trim().toLowerCase();
  if (asked === 'now') return now;
  const [, count, unit = ''] = /^-(\d+)\s*([smhd])$/.exec(asked) ?? [];
  if (count !== undefined) return now - Number(count) * (UNITS[unit] ?? Number.NaN);
  if (asked === 'yesterday') return now - DAY_MS;
  const clock = /^(?:(today|yesterday)\s+)?([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(asked);
  if (clock === null) return parseInstant(text);
  const [, day, hours, minutes, seconds = '0'] = clock;
  const at = new Date(now);
  at.setHours(Number(hours), Number(minutes), Number(seconds), 0);
  if (day === 'yesterday' || (day === undefined && at.getTime() > now)) at.setDate(at.getDate() - 1);
  return at.getTime();
}

/** @throws UsageError for what is no time */
export function sinceOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = readTime(text, Date.now());
  if (!Number.isNaN(time)) return new Date(time);
  throw new UsageError(`'${text}' is no time such as 2026-08-02T02:00:00Z, -10m, 02:00 or yesterday`);
}
