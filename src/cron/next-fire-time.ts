import { getTimeZone, type OffsetChange, type TimeZone, toCivilDate, type WallMs } from '#time/index.ts';
import type { CronExpression } from './cron-expression.ts';
import { nextWallTime } from './next-wall-time.ts';
import { parseCron } from './parse-cron.ts';

/**
 * What happens when clocks change.
 *
 * `quartz`: expressions match wall times, and each wall time fires at most once. One that the clocks skip is
 * left out; one that comes twice fires at its second instant. So an interval schedule is silent during the
 * first pass of a repeated hour, and a search that starts within the first pass does not see the wall times
 * that are already behind it on the clock.
 *
 * `smooth`: every matching wall time that the clocks skip fires at the first instant after the gap, all of
 * them together once. One that comes twice fires at both instants when the schedule is an interval
 * (`CronExpression.isInterval`), at the first instant only when it is a fixed time.
 */
export type DaylightSaving = 'quartz' | 'smooth';

export interface FireTimeOptions {
  readonly dst: DaylightSaving;
  /** The last instant that may fire, in milliseconds since the epoch. */
  readonly until?: number;
}

/** Quartz 2 looks a hundred years ahead. */
const HORIZON_YEARS = 100;
const DAY_MS = 86_400_000;
/** What a `Date` can hold. Beyond it adding one to a number may change nothing, and a search would not end. */
const LATEST_MS = 8.64e15;

/**
 * The first firing after an instant, both in milliseconds since the epoch; null when there is none within a
 * hundred years, or none up to `until`. Firings lie on whole seconds.
 *
 * @throws RangeError when `afterEpochMs` is not an instant
 */
export function nextFireTime(
  expression: CronExpression,
  afterEpochMs: number,
  zone: TimeZone,
  options: FireTimeOptions = { dst: 'quartz' },
): number | null {
  if (!(Math.abs(afterEpochMs) <= LATEST_MS)) throw new RangeError(`${afterEpochMs} is not an instant`);
  const from = (Math.floor(afterEpochMs / 1000) + 1) * 1000;
  const found =
    options.dst === 'quartz' ? nextQuartz(expression, from, zone) : nextSmooth(expression, from, zone);
  return found !== null && options.until !== undefined && found > options.until ? null : found;
}

/** Like `nextFireTime`, but a firing in the second of `fromEpochMs` counts, also when it is some ms earlier. */
export function firstFireTime(
  expression: CronExpression,
  fromEpochMs: number,
  zone: TimeZone,
  options?: FireTimeOptions,
): number | null {
  return nextFireTime(expression, Math.floor(fromEpochMs / 1000) * 1000 - 1, zone, options);
}

/** The next firings in order, at most `count`; fewer when the expression or `until` ends them. */
export function nextFireTimes(
  expression: CronExpression,
  afterEpochMs: number,
  zone: TimeZone,
  count: number,
  options?: FireTimeOptions,
): number[] {
  const times: number[] = [];
  let after = afterEpochMs;
  while (times.length < count) {
    const next = nextFireTime(expression, after, zone, options);
    if (next === null) break;
    times.push(next);
    after = next;
  }
  return times;
}

function nextQuartz(expression: CronExpression, from: number, zone: TimeZone): number | null {
  const start = zone.wallAt(from);
  // The horizon stays where it is: the second Sunday of March at 02:30 lies in a gap of New York every year.
  const lastYear = lastYearOf(start);
  let wall = match(expression, start, lastYear);
  while (wall !== null) {
    const resolution = zone.resolve(wall);
    if (resolution.kind === 'one') return resolution.at;
    if (resolution.kind === 'two') return resolution.later;
    wall = match(expression, resolution.change.at + resolution.change.after, lastYear);
  }
  return null;
}

function nextSmooth(expression: CronExpression, from: number, zone: TimeZone): number | null {
  const start = startOfSearch(expression, from, zone);
  const lastYear = lastYearOf(start.wall);
  const wall = match(expression, start.wall, lastYear);
  const overlap = start.overlap;
  if (overlap !== undefined) {
    // Interval schedules go through the repeated times in the order of instants: first pass, then second.
    const end = overlap.at + overlap.before;
    if (wall !== null && wall < end) return wall - start.offset;
    if (start.offset === overlap.before) {
      const again = match(expression, overlap.at + overlap.after, lastYear);
      if (again !== null && again < end) return again - overlap.after;
    }
  }
  if (wall === null) return null;
  const resolution = zone.resolve(wall);
  switch (resolution.kind) {
    case 'one':
      return resolution.at;
    case 'two':
      return resolution.earlier;
    case 'gap':
      return resolution.change.at;
  }
}

interface SearchStart {
  readonly wall: WallMs;
  readonly offset: number;
  /** The overlap that an interval schedule starts in. */
  readonly overlap?: OffsetChange;
}

/** The wall time from which `smooth` looks for a match, so that no instant is lost or fires twice. */
function startOfSearch(expression: CronExpression, from: number, zone: TimeZone): SearchStart {
  const wall = zone.wallAt(from);
  const offset = wall - from;
  const resolution = zone.resolve(wall);
  if (resolution.kind === 'two') {
    if (expression.isInterval) return { wall, offset, overlap: resolution.change };
    // In the second pass of an overlap the fixed times have already fired.
    const isSecondPass = from === resolution.later;
    return { wall: isSecondPass ? resolution.change.at + resolution.change.before : wall, offset };
  }
  // The first instant after a gap fires for what was skipped.
  const offsetBefore = zone.offsetAt(from - 1);
  return { wall: offsetBefore < offset ? from + offsetBefore : wall, offset };
}

function lastYearOf(start: WallMs): number {
  return toCivilDate(Math.floor(start / DAY_MS)).year + HORIZON_YEARS;
}

function match(expression: CronExpression, from: WallMs, lastYear: number): WallMs | null {
  const second = nextWallTime(expression, from / 1000, lastYear);
  return second === null ? null : second * 1000;
}

/** The next time that a text names, by the clock of UTC; undefined when there is none. @throws BadRequestError */
export function nextInUtc(text: string, after: number): number | undefined {
  return nextFireTime(parseCron(text), after, getTimeZone('UTC')) ?? undefined;
}
