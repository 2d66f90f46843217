import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { getTimeZone } from '#time/index.ts';
import { type DaylightSaving, nextFireTime, parseCron } from '../../../src/cron/index.ts';
import { nextFireTimes } from '../../../src/cron/next-fire-time.ts';
import { runs } from '../../support/long.ts';
import { naiveCron, naiveDailyCron, naiveNext } from './naive-cron.ts';

const DAY_MS = 86_400_000;
const YEARS_AHEAD = 2;
const UTC = getTimeZone('UTC');

const instant = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2028, 0, 1) });
const zoneId = fc.constantFrom(
  'UTC',
  'America/New_York',
  'Europe/Warsaw',
  'Africa/Cairo',
  'Australia/Lord_Howe',
  'Antarctica/Troll',
  'Asia/Kolkata',
);
const rule = fc.constantFrom<DaylightSaving>('quartz', 'smooth');

/** What a clock shows, by the system's formatter, as the milliseconds UTC would have. */
function wallClock(id: string): (epochMs: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: id,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (epochMs) => {
    const [month, day, year, hour, minute, second] = format.format(epochMs).match(/\d+/g)!.map(Number);
    return Date.UTC(year!, month! - 1, day, hour, minute, second);
  };
}

test('in UTC the next firing is what trying every second of every day finds', () => {
  fc.assert(
    fc.property(naiveCron, instant, (cron, after) => {
      const found = nextFireTime(parseCron(cron.text), after, UTC);
      const days = Math.ceil(YEARS_AHEAD * 365.25);
      const tried = naiveNext(cron, after, days);
      if (tried !== null) expect([cron.text, found]).toEqual([cron.text, tried]);
      else expect(found ?? Infinity).toBeGreaterThan(after + (days - 1) * DAY_MS);
    }),
    { numRuns: runs(1000) },
  );
});

test('a firing is a whole second after the start, and its wall time matches the expression', () => {
  fc.assert(
    fc.property(naiveCron, instant, zoneId, (cron, after, id) => {
      const zone = getTimeZone(id);
      const found = nextFireTime(parseCron(cron.text), after, zone);
      if (found === null) return;
      expect(found).toBeGreaterThan(after);
      expect(found % 1000).toBe(0);
      const wall = new Date(wallClock(id)(found));
      const day = { year: wall.getUTCFullYear(), month: wall.getUTCMonth() + 1, day: wall.getUTCDate() };
      expect(cron.matchesDay(day)).toBe(true);
      expect(cron.matchesTime(wall.getUTCHours(), wall.getUTCMinutes(), wall.getUTCSeconds())).toBe(true);
    }),
    { numRuns: runs(1000) },
  );
});

test('a firing is found again from just before it', () => {
  fc.assert(
    fc.property(naiveCron, instant, zoneId, rule, (cron, after, id, dst) => {
      const expression = parseCron(cron.text);
      const zone = getTimeZone(id);
      const found = nextFireTime(expression, after, zone, { dst });
      if (found === null) return;
      expect(nextFireTime(expression, found - 1, zone, { dst })).toBe(found);
      expect(nextFireTime(expression, found - 1000, zone, { dst })).toBe(found);
    }),
    { numRuns: runs(1000) },
  );
});

test('from anywhere before a firing and after the last one the same firing is found', () => {
  fc.assert(
    fc.property(
      naiveCron,
      instant,
      zoneId,
      fc.double({ min: 0, max: 1, noNaN: true }),
      (cron, after, id, part) => {
        const expression = parseCron(cron.text);
        const zone = getTimeZone(id);
        const found = nextFireTime(expression, after, zone, { dst: 'smooth' });
        if (found === null) return;
        const between = Math.min(after + Math.floor((found - after) * part), found - 1);
        expect(nextFireTime(expression, between, zone, { dst: 'smooth' })).toBe(found);
      },
    ),
    { numRuns: runs(1000) },
  );
});

test('a later start never finds an earlier firing', () => {
  fc.assert(
    fc.property(
      naiveCron,
      instant,
      fc.nat({ max: 40 * DAY_MS }),
      zoneId,
      rule,
      (cron, after, more, id, dst) => {
        const zone = getTimeZone(id);
        // Within the first pass of an overlap Quartz overlooks times of the second one.
        fc.pre(dst === 'smooth' || zone.resolve(zone.wallAt(after)).kind === 'one');
        const expression = parseCron(cron.text);
        const early = nextFireTime(expression, after, zone, { dst }) ?? Infinity;
        const late = nextFireTime(expression, after + more, zone, { dst }) ?? Infinity;
        expect(late).toBeGreaterThanOrEqual(early);
      },
    ),
    { numRuns: runs(1000) },
  );
});

describe.each([
  ['America/New_York', '2026-03-08T07:00:00Z'],
  ['America/New_York', '2026-11-01T06:00:00Z'],
  ['Europe/Warsaw', '2026-10-25T01:00:00Z'],
  ['Africa/Cairo', '2026-04-23T22:00:00Z'],
  ['Africa/Cairo', '2026-10-29T21:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
  ['Antarctica/Troll', '2026-03-29T01:00:00Z'],
  ['Antarctica/Troll', '2026-10-25T01:00:00Z'],
  ['Pacific/Apia', '2011-12-30T10:00:00Z'],
])('around the change of clocks in %s at %s', (id, changeText) => {
  const change = Date.parse(changeText);
  const zone = getTimeZone(id);
  const clock = wallClock(id);
  const start = change - 4 * 3_600_000;
  const end = change + 4 * 3_600_000;
  const instants = Array.from({ length: (end - start) / 1000 }, (_, index) => start + index * 1000);
  const walls = instants.map(clock);
  const lastShownAt = new Map(walls.map((wall, index) => [wall, instants[index]!]));
  const firstShownAt = new Map(
    walls.map((wall, index) => [wall, instants[index]!]).reverse() as [number, number][],
  );
  const skipped: number[] = [];
  for (let wall = clock(change - 1000) + 1000; wall < clock(change); wall += 1000) skipped.push(wall);

  const matches = (cron: { matchesTime(h: number, m: number, s: number): boolean }, wall: number) => {
    const second = Math.floor(wall / 1000) % 86_400;
    return cron.matchesTime(Math.floor(second / 3600), Math.floor(second / 60) % 60, second % 60);
  };

  test('there is a change', () => {
    expect(clock(change) - clock(change - 1000)).not.toBe(1000);
  });

  test('quartz fires at the last showing of every matching wall time', () => {
    fc.assert(
      fc.property(naiveDailyCron, (cron) => {
        const expected = instants.filter(
          (at, index) => lastShownAt.get(walls[index]!) === at && matches(cron, walls[index]!),
        );
        const times = nextFireTimes(parseCron(cron.text), start - 1, zone, expected.length + 1);
        expect(times.filter((at) => at < end)).toEqual(expected);
      }),
      { numRuns: runs(60) },
    );
  });

  test('smooth fires for what was skipped, and twice for intervals only', () => {
    fc.assert(
      fc.property(naiveDailyCron, fc.integer({ min: start, max: end - 1 }), (cron, after) => {
        const firesForGap = skipped.some((wall) => matches(cron, wall));
        const expected = instants.filter(
          (at, index) =>
            (at === change && firesForGap) ||
            (matches(cron, walls[index]!) && (cron.isInterval || firstShownAt.get(walls[index]!) === at)),
        );
        const expression = parseCron(cron.text);
        const options = { dst: 'smooth' } as const;
        const times = nextFireTimes(expression, start - 1, zone, expected.length + 1, options);
        expect(times.filter((at) => at < end)).toEqual(expected);
        const next = expected.find((at) => at > after);
        if (next !== undefined) expect(nextFireTime(expression, after, zone, options)).toBe(next);
      }),
      { numRuns: runs(60) },
    );
  });
});
