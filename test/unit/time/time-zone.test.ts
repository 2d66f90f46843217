import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BadRequestError } from '#errors/index.ts';
import { getTimeZone, isTimeZone } from '#time/index.ts';
import { OffsetTable } from '../../../src/time/offset-table.ts';
import { runs } from '../../support/long.ts';
import '../../support/takes-long.ts';

const HOUR = 3_600_000;
const SUMMER = Date.UTC(2026, 6, 1);
const WINTER = Date.UTC(2026, 0, 1);

function offsetInHours(id: string, epochMs = SUMMER): number {
  return getTimeZone(id).offsetAt(epochMs) / HOUR;
}

function refusal(id: string): { message: string; hint: unknown; detail: unknown } {
  try {
    getTimeZone(id);
  } catch (error) {
    expect(error).toBeInstanceOf(BadRequestError);
    const { message, detail } = error as BadRequestError;
    expect(detail).toMatchObject({ id: 'SCHED_UNKNOWN_TIME_ZONE', value: id });
    return { message, hint: (detail as { hint?: string }).hint, detail };
  }
  throw new Error(`'${id}' was accepted`);
}

describe('ids', () => {
  test.each([
    ['UTC', 0],
    ['GMT', 0],
    ['GMT0', 0],
    ['Europe/Warsaw', 2],
    ['US/Pacific', -7],
    ['Asia/Calcutta', 5.5],
    ['Etc/GMT-5', 5],
    ['Etc/GMT+12', -12],
    ['EST5EDT', -4],
    ['CET', 2],
    ['SystemV/EST5', -5],
    ['SystemV/PST8PDT', -7],
    ['EST', -5],
    ['MST', -7],
    ['HST', -10],
    ['PST', -7],
    ['IST', 5.5],
    ['BST', 6],
    ['JST', 9],
    ['ACT', 9.5],
    ['GMT+02:00', 2],
    ['GMT-05:30', -5.5],
    ['GMT+00:00', 0],
    ['GMT-23:59', -(23 + 59 / 60)],
    ['US/Pacific', -7],
  ])('%s is %d hours east of UTC in July 2026 and stays as it was written', (id, hours) => {
    expect(isTimeZone(id)).toBe(true);
    expect(offsetInHours(id)).toBeCloseTo(hours, 9);
    expect(getTimeZone(id).id).toBe(id);
  });

  test('three-letter ids without daylight saving in Java have none here', () => {
    for (const id of ['EST', 'MST', 'HST']) expect(offsetInHours(id)).toBe(offsetInHours(id, WINTER));
    expect(offsetInHours('PST')).not.toBe(offsetInHours('PST', WINTER));
  });

  test.each([
    ['GMT+2', "Write a fixed offset as 'GMT+02:00'"],
    ['GMT+02', "Write a fixed offset as 'GMT+02:00'"],
    ['GMT+0200', "Write a fixed offset as 'GMT+02:00'"],
    ['GMT-0', "Write a fixed offset as 'GMT-00:00'"],
    ['UTC+2', "Write a fixed offset as 'GMT+02:00'"],
    ['UTC+02:00', "Write a fixed offset as 'GMT+02:00'"],
    ['+02:00', "Write a fixed offset as 'GMT+02:00'"],
    ['-0530', "Write a fixed offset as 'GMT-05:30'"],
    ['GMT+24:00', 'Fixed offsets go from GMT-23:59 to GMT+23:59'],
    ['Z', "Write 'UTC'"],
    [' UTC', "Did you mean 'UTC'?"],
    ['utc', "Did you mean 'UTC'?"],
    ['europe/warsaw', "Did you mean 'Europe/Warsaw'?"],
    ['America/new_york', "Did you mean 'America/New_York'?"],
    ['us/pacific', undefined],
    ['Europe/Warsav', "Did you mean 'Europe/Warsaw'?"],
    ['', "Name a zone such as 'UTC' or 'Europe/Warsaw'"],
    ['Qqqqqqqq/Zzzzzzzz', undefined],
    ['x'.repeat(5000), undefined],
  ])('%s is refused', (id, hint) => {
    expect(isTimeZone(id)).toBe(false);
    expect(refusal(id)).toMatchObject({ message: `Unknown time zone '${id}'`, hint });
  });

  test.each(['EDT', 'CEST', 'Foo/Bar', '__proto__', 'constructor', 'Etc/GMT+15', 'UTC\0'])(
    '%s is no zone',
    (id) => {
      expect(isTimeZone(id)).toBe(false);
    },
  );

  test('a letter that only folds to an ASCII one is no part of an id', () => {
    expect(isTimeZone('Europe/Kiev')).toBe(true);
    expect(isTimeZone('Europe/\u212Aiev')).toBe(false);
  });
});

/** The offset by the system's own formatter, field by field. */
function offsetByFormatter(id: string): (epochMs: number) => number {
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
    const parts = Object.fromEntries(format.formatToParts(epochMs).map((part) => [part.type, part.value]));
    const { year, month, day, hour, minute, second } = parts;
    const wall = Date.UTC(+year!, +month! - 1, +day!, +hour!, +minute!, +second!);
    return wall - Math.floor(epochMs / 1000) * 1000;
  };
}

const LIVELY_ZONES = [
  'America/New_York',
  'Europe/Warsaw',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Australia/Lord_Howe',
  'Antarctica/Troll',
  'Pacific/Apia',
  'America/St_Johns',
  'Africa/Monrovia',
  'Asia/Gaza',
  'Asia/Pyongyang',
];

describe('offsets', () => {
  test('the table agrees with the formatter in every zone', () => {
    const samples = Array.from({ length: 12 }, (_, index) =>
      Date.UTC(2003 + index * 2, (index * 5) % 12, 17, 3),
    );
    for (const id of Intl.supportedValuesOf('timeZone')) {
      const zone = getTimeZone(id);
      const offsetAt = offsetByFormatter(id);
      for (const at of samples) expect([id, at, zone.offsetAt(at)]).toEqual([id, at, offsetAt(at)]);
    }
  });

  test.each(LIVELY_ZONES)('the table of %s agrees with the formatter hour by hour of a century', (id) => {
    const zone = getTimeZone(id);
    const offsetAt = offsetByFormatter(id);
    const instants = fc.integer({ min: Date.UTC(1960, 0, 1), max: Date.UTC(2060, 0, 1) });
    fc.assert(
      fc.property(instants, (epochMs) => zone.offsetAt(epochMs) === offsetAt(epochMs)),
      { numRuns: runs(3000) },
    );
  });

  test('a change counts from its very millisecond', () => {
    const zone = getTimeZone('America/New_York');
    const change = Date.UTC(2026, 2, 8, 7);
    expect(zone.offsetAt(change - 1)).toBe(-5 * HOUR);
    expect(zone.offsetAt(change)).toBe(-4 * HOUR);
    expect(zone.wallAt(change)).toBe(Date.UTC(2026, 2, 8, 3));
  });

  test('a change by an odd number of seconds is exact', () => {
    const zone = getTimeZone('Africa/Monrovia');
    const change = Date.UTC(1972, 0, 7, 0, 44, 30);
    expect(zone.offsetAt(change - 1)).toBe(-(44 * 60 + 30) * 1000);
    expect(zone.offsetAt(change)).toBe(0);
  });

  test('instants far outside of history keep the offset of the edge', () => {
    const zone = getTimeZone('Europe/Warsaw');
    expect(zone.offsetAt(8.64e15)).toBe(zone.offsetAt(Date.UTC(9990, 0, 1)));
    expect(zone.offsetAt(-8.64e15)).toBe(zone.offsetAt(-61_000_000_000_000));
    expect(() => zone.offsetAt(Number.NaN)).toThrow(RangeError);
  });

  test.each([
    ['America/Recife', '2000-10-08T03:00:00Z', '2000-10-15T02:00:00Z'],
    ['Asia/Gaza', '2040-10-20T00:00:00Z', '2040-10-27T00:00:00Z'],
  ])('a stretch of one week in %s is not overlooked', (id, from, to) => {
    const zone = getTimeZone(id);
    const offsetAt = offsetByFormatter(id);
    for (let at = Date.parse(from) - 48 * HOUR; at < Date.parse(to) + 48 * HOUR; at += HOUR / 2) {
      expect([at, zone.offsetAt(at)]).toEqual([at, offsetAt(at)]);
    }
    const middle = (Date.parse(from) + Date.parse(to)) / 2;
    expect(zone.offsetAt(middle)).not.toBe(zone.offsetAt(middle - 8 * 24 * HOUR));
  });

  test('twenty years cost a few thousand questions, and asking again none', () => {
    let questions = 0;
    const offsetAt = offsetByFormatter('America/New_York');
    const table = new OffsetTable((epochMs) => {
      questions += 1;
      return offsetAt(epochMs);
    });
    const walk = () => {
      for (let at = Date.UTC(2020, 0, 1); at < Date.UTC(2040, 0, 1); at += 30 * 24 * HOUR) table.periodAt(at);
    };
    walk();
    expect(questions).toBeLessThan(5000);
    const asked = questions;
    walk();
    expect(questions).toBe(asked);
  });
});

describe('wall times', () => {
  const newYork = getTimeZone('America/New_York');

  test('most come once', () => {
    const wall = Date.UTC(2026, 6, 1, 12);
    expect(newYork.resolve(wall)).toEqual({ kind: 'one', at: wall + 4 * HOUR });
  });

  test('those of a gap never come', () => {
    const change = { at: Date.UTC(2026, 2, 8, 7), before: -5 * HOUR, after: -4 * HOUR };
    expect(newYork.resolve(Date.UTC(2026, 2, 8, 2))).toEqual({ kind: 'gap', change });
    expect(newYork.resolve(Date.UTC(2026, 2, 8, 3) - 1)).toEqual({ kind: 'gap', change });
    expect(newYork.resolve(Date.UTC(2026, 2, 8, 3))).toEqual({ kind: 'one', at: change.at });
    expect(newYork.resolve(Date.UTC(2026, 2, 8, 2) - 1)).toEqual({ kind: 'one', at: change.at - 1 });
  });

  test('those of an overlap come twice', () => {
    const change = { at: Date.UTC(2026, 10, 1, 6), before: -4 * HOUR, after: -5 * HOUR };
    expect(newYork.resolve(Date.UTC(2026, 10, 1, 1))).toEqual({
      kind: 'two',
      earlier: Date.UTC(2026, 10, 1, 5),
      later: Date.UTC(2026, 10, 1, 6),
      change,
    });
    expect(newYork.resolve(Date.UTC(2026, 10, 1, 2))).toMatchObject({ kind: 'one' });
  });

  test('a whole day can be missing', () => {
    const apia = getTimeZone('Pacific/Apia');
    const change = { at: Date.UTC(2011, 11, 30, 10), before: -10 * HOUR, after: 14 * HOUR };
    expect(apia.resolve(Date.UTC(2011, 11, 30))).toEqual({ kind: 'gap', change });
    expect(apia.resolve(Date.UTC(2011, 11, 31) - 1)).toEqual({ kind: 'gap', change });
    expect(apia.resolve(Date.UTC(2011, 11, 31))).toEqual({ kind: 'one', at: change.at });
  });

  test('every instant is among those of its wall time, and every answer shows that wall time', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...LIVELY_ZONES),
        fc.integer({ min: Date.UTC(1970, 0, 1), max: Date.UTC(2050, 0, 1) }),
        (id, epochMs) => {
          const zone = getTimeZone(id);
          const wall = zone.wallAt(epochMs);
          const resolution = zone.resolve(wall);
          if (resolution.kind === 'gap') throw new Error(`${epochMs} fell into a gap of ${id}`);
          const instants =
            resolution.kind === 'one' ? [resolution.at] : [resolution.earlier, resolution.later];
          expect(instants).toContain(epochMs);
          for (const at of instants) expect(zone.wallAt(at)).toBe(wall);
        },
      ),
      { numRuns: runs(5000) },
    );
  });
});
