import { CronExpressionParser } from 'cron-parser';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { getTimeZone, type TimeZone } from '#time/index.ts';
import { parseCron } from '../../src/cron/index.ts';
import { nextFireTimes } from '../../src/cron/next-fire-time.ts';
import { runs } from '../support/long.ts';

/**
 * The same schedules in both dialects, on the subset where cron-parser is right: no year, no W, no L-n, no
 * wrapping range, no value twice in a list, days of the week renumbered from 1..7 to 0..6, and no change of
 * clocks near a date.
 */
interface Pair {
  readonly quartz: string;
  readonly other: string;
}

const SEED = 20_260_101;
const COMPARED = runs(3_000);
const DATES = 1;
const DAY_MS = 86_400_000;

const same = (text: string): Pair => ({ quartz: text, other: text });

/** Elements with values up to `max`; steps run on to the last value of the field. */
function plain(min: number, max: number, toOther = (value: number) => value, last = max): fc.Arbitrary<Pair> {
  const value = fc.integer({ min, max });
  const step = fc.integer({ min: 2, max: Math.ceil((max - min) / 2) });
  const ordered = fc
    .uniqueArray(value, { minLength: 2, maxLength: 2 })
    .map((ends) => ends.sort((a, b) => a - b));
  return fc.oneof(
    { weight: 3, arbitrary: value.map((a) => ({ quartz: `${a}`, other: `${toOther(a)}` })) },
    { weight: 2, arbitrary: fc.constant(same('*')) },
    {
      weight: 1,
      arbitrary: fc.uniqueArray(value, { minLength: 2, maxLength: 5 }).map((values) => ({
        quartz: values.join(','),
        other: values.map(toOther).join(','),
      })),
    },
    {
      weight: 1,
      arbitrary: ordered.map(([a = 0, b = 0]) => ({
        quartz: `${a}-${b}`,
        other: `${toOther(a)}-${toOther(b)}`,
      })),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(ordered, step).map(([[a = 0, b = 0], s]) => ({
        quartz: `${a}-${b}/${s}`,
        other: `${toOther(a)}-${toOther(b)}/${s}`,
      })),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(value, step).map(([a, s]) => ({
        quartz: `${a}/${s}`,
        other: `${toOther(a)}-${toOther(last)}/${s}`,
      })),
    },
    {
      weight: 1,
      arbitrary: step.map((s) => ({ quartz: `*/${s}`, other: `${toOther(min)}-${toOther(last)}/${s}` })),
    },
  );
}

const weekday = plain(1, 7, (day) => day - 1);
const month = plain(1, 12);
const everyMonth = fc.constant(same('*'));

/** Day of month, month, day of week: days that not every month has come with every month. */
const dayFields: fc.Arbitrary<Pair> = fc.oneof(
  {
    weight: 3,
    arbitrary: days(
      plain(1, 28, (day) => day, 31),
      month,
      fc.constant({ quartz: '?', other: '*' }),
    ),
  },
  {
    weight: 2,
    arbitrary: days(
      fc.constantFrom('31', '30,31', 'L', '1,L', '15,L', '29/2').map(same),
      everyMonth,
      fc.constant({ quartz: '?', other: '*' }),
    ),
  },
  { weight: 3, arbitrary: days(fc.constant({ quartz: '?', other: '*' }), month, weekday) },
  {
    weight: 2,
    arbitrary: days(
      fc.constant({ quartz: '?', other: '*' }),
      everyMonth,
      fc
        .tuple(fc.integer({ min: 1, max: 7 }), fc.constantFrom('L', '#1', '#2', '#3', '#4', '#5'))
        .map(([which, suffix]) => ({ quartz: `${which}${suffix}`, other: `${which - 1}${suffix}` })),
    ),
  },
);

function days(...fields: fc.Arbitrary<Pair>[]): fc.Arbitrary<Pair> {
  return fc.tuple(...fields).map(join);
}

function join(fields: readonly Pair[]): Pair {
  return {
    quartz: fields.map(({ quartz }) => quartz).join(' '),
    other: fields.map(({ other }) => other).join(' '),
  };
}

const expression = fc.tuple(plain(0, 59), plain(0, 59), plain(0, 23), dayFields).map(join);

const zones = ['UTC', 'Asia/Kolkata', 'Asia/Tokyo', 'Africa/Lagos', 'America/New_York', 'Europe/Warsaw'];

/** Whether the clocks change within two days of an instant. */
function isNearChange(zone: TimeZone, at: number): boolean {
  return zone.offsetAt(at - 2 * DAY_MS) !== zone.offsetAt(at + 2 * DAY_MS);
}

test(`cron-parser finds the same dates for ${COMPARED} random expressions`, () => {
  const samples = fc.sample(
    fc.record({
      pair: expression,
      after: fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2030, 0, 1) }),
      zoneId: fc.constantFrom(...zones),
    }),
    { seed: SEED, numRuns: COMPARED * 1.2 },
  );
  let compared = 0;
  for (const { pair, after, zoneId } of samples) {
    const zone = getTimeZone(zoneId);
    const ours = nextFireTimes(parseCron(pair.quartz), after, zone, DATES);
    const parser = CronExpressionParser.parse(pair.other, { tz: zoneId, currentDate: new Date(after) });
    const theirs = Array.from({ length: DATES }, () => parser.next().getTime());
    if ([after, ...ours, ...theirs].some((at) => isNearChange(zone, at))) continue;
    expect({ ...pair, zoneId, after, dates: theirs }).toEqual({ ...pair, zoneId, after, dates: ours });
    compared += 1;
    if (compared === COMPARED) break;
  }
  expect(compared).toBe(COMPARED);
});
