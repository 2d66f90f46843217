import { compare } from '../equality.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import '../methods/object-methods.ts';
import { int, long } from '../arguments.ts';
import { toText } from '../text.ts';
import { badArgument, exception } from '../throwable.ts';
import { Duration, Period, parseDuration, parsePeriod } from './amounts.ts';
import { nanosOf, unitArgument, unitNanos } from './chrono-unit.ts';
import { daysIn } from './date-fields.ts';
import { Temporal } from './temporal.ts';

const DURATION = 'java.time.Duration';
const PERIOD = 'java.time.Period';
const UNITS = {
  Days: unitNanos('DAYS'),
  Hours: unitNanos('HOURS'),
  Minutes: unitNanos('MINUTES'),
  Seconds: unitNanos('SECONDS'),
  Millis: unitNanos('MILLIS'),
  Nanos: 1n,
} as const;
const SECOND = UNITS.Seconds;

function floor(value: bigint, by: bigint): bigint {
  const rest = ((value % by) + by) % by;
  return (value - rest) / by;
}

/** `ofDays`, `plusDays`, `minusDays`, `toDays` and so on for every unit. */
function perUnit(make: (name: string, nanos: bigint) => Record<string, (...args: never[]) => unknown>) {
  return Object.assign({}, ...Object.entries(UNITS).map(([name, nanos]) => make(name, nanos)));
}

function secondsOf(self: Duration): bigint {
  return floor(self.nanos, SECOND);
}

/** Nanoseconds beyond the whole seconds, which are rounded down. */
function nanosOver(self: Duration): bigint {
  return self.nanos - secondsOf(self) * SECOND;
}

/** How many whole units a duration has; units of a second or more are counted from its whole seconds. */
function countOf(self: Duration, unit: bigint): bigint {
  return unit < SECOND ? self.nanos / unit : secondsOf(self) / (unit / SECOND);
}

function part(unit: bigint, inWhole: bigint) {
  return (self: Duration) => Number(countOf(self, unit) % inWhole);
}

function dividedBy(self: Duration, by: unknown): unknown {
  if (by instanceof Duration) return self.nanos / by.nanos;
  const divisor = long(by);
  if (divisor === 0n) throw exception('java.lang.ArithmeticException', 'Cannot divide by zero');
  return new Duration(self.nanos / divisor);
}

defineStatics(
  DURATION,
  {
    ...perUnit((name, nanos) => ({
      [`of${name}/${name === 'Seconds' ? '1-2' : '1'}`]: (count: unknown, extra: unknown = 0) =>
        new Duration(long(count) * nanos + long(extra)),
    })),
    'of/2': (count: unknown, unit: unknown) => new Duration(long(count) * unitNanos(unitArgument(unit))),
    'between/2': (from: unknown, to: unknown) => {
      if (!(from instanceof Temporal) || !(to instanceof Temporal)) throw badArgument();
      if (!from.hasTime) {
        throw exception('java.time.temporal.UnsupportedTemporalTypeException', 'Unsupported unit: Seconds');
      }
      return new Duration(nanosOf(to) - nanosOf(from));
    },
    'parse/1': (text: unknown) => parseDuration(toText(text)),
  },
  { ZERO: new Duration(0n) },
);

defineMethods(DURATION, 'java.lang.Object', {
  ...perUnit((name, nanos) => ({
    [`plus${name}/1`]: (self: Duration, count: unknown) => new Duration(self.nanos + long(count) * nanos),
    [`minus${name}/1`]: (self: Duration, count: unknown) => new Duration(self.nanos - long(count) * nanos),
    [`to${name}/0`]: (self: Duration) => countOf(self, nanos),
  })),
  'getSeconds/0': secondsOf,
  'getNano/0': (self: Duration) => Number(nanosOver(self)),
  'toDaysPart/0': (self: Duration) => countOf(self, UNITS.Days),
  'toHoursPart/0': part(UNITS.Hours, 24n),
  'toMinutesPart/0': part(UNITS.Minutes, 60n),
  'toSecondsPart/0': part(UNITS.Seconds, 60n),
  'toMillisPart/0': (self: Duration) => Number(nanosOver(self) / UNITS.Millis),
  'toNanosPart/0': (self: Duration) => Number(nanosOver(self)),
  'plus/1-2': (self: Duration, other: unknown, unit?: unknown) =>
    new Duration(self.nanos + amountOf(other, unit)),
  'minus/1-2': (self: Duration, other: unknown, unit?: unknown) =>
    new Duration(self.nanos - amountOf(other, unit)),
  'multiply/1': (self: Duration, by: unknown) => new Duration(self.nanos * long(by)),
  'multipliedBy/1': (self: Duration, by: unknown) => new Duration(self.nanos * long(by)),
  'div/1': dividedBy,
  'dividedBy/1': dividedBy,
  'negated/0': (self: Duration) => new Duration(-self.nanos),
  'negative/0': (self: Duration) => new Duration(-self.nanos),
  'positive/0': (self: Duration) => abs(self),
  'abs/0': abs,
  'next/0': (self: Duration) => new Duration(self.nanos + SECOND),
  'previous/0': (self: Duration) => new Duration(self.nanos - SECOND),
  'isZero/0': (self: Duration) => self.nanos === 0n,
  'isNegative/0': (self: Duration) => self.nanos < 0n,
  'isPositive/0': (self: Duration) => self.nanos > 0n,
  'isNonnegative/0': (self: Duration) => self.nanos >= 0n,
  'isNonpositive/0': (self: Duration) => self.nanos <= 0n,
  'truncatedTo/1': (self: Duration, unit: unknown) => {
    const nanos = unitNanos(unitArgument(unit));
    return new Duration(self.nanos - (self.nanos % nanos));
  },
  'compareTo/1': compare,
});

function abs(self: Duration): Duration {
  return self.nanos < 0n ? new Duration(-self.nanos) : self;
}

/** The nanoseconds of another duration, of a number of units, or of seconds. */
function amountOf(value: unknown, unit: unknown): bigint {
  if (unit !== undefined) return long(value) * unitNanos(unitArgument(unit));
  return value instanceof Duration ? value.nanos : long(value) * SECOND;
}

/**
 * The period between two days, as java.time counts it: months first, then the days that are left, which towards the
 * past is not the mirror image.
 */
export function periodBetween(from: Temporal, to: Temporal): Period {
  const [start, end] = [from.fields, to.fields];
  let months = (end.year - start.year) * 12 + end.month - start.month;
  let days = end.day - start.day;
  if (months > 0 && days < 0) {
    months--;
    days = to.day - from.plusMonths(months).day;
  } else if (months < 0 && days > 0) {
    months++;
    days -= daysIn(end.year, end.month);
  }
  return new Period(Math.trunc(months / 12), months % 12, days);
}

/** The period that is given, or one of a number of days. */
function periodOf(value: unknown): Period {
  return value instanceof Period ? value : new Period(0, 0, int(value));
}

function combine(self: Period, value: unknown, sign: 1 | -1): Period {
  const { years, months, days } = periodOf(value);
  return new Period(self.years + sign * years, self.months + sign * months, self.days + sign * days);
}

function multiplied(self: Period, by: number): Period {
  return new Period(self.years * by, self.months * by, self.days * by);
}

defineStatics(
  PERIOD,
  {
    'of/3': (years: unknown, months: unknown, days: unknown) =>
      new Period(int(years), int(months), int(days)),
    'ofDays/1': (days: unknown) => new Period(0, 0, int(days)),
    'ofWeeks/1': (weeks: unknown) => new Period(0, 0, int(weeks) * 7),
    'ofMonths/1': (months: unknown) => new Period(0, int(months), 0),
    'ofYears/1': (years: unknown) => new Period(int(years), 0, 0),
    'between/2': (from: unknown, to: unknown) => {
      if (!(from instanceof Temporal) || !(to instanceof Temporal)) throw badArgument();
      return periodBetween(from, to);
    },
    'parse/1': (text: unknown) => parsePeriod(toText(text)),
  },
  { ZERO: new Period(0, 0, 0) },
);

const partNames = ['Years', 'Months', 'Days'] as const;

defineMethods(PERIOD, 'java.lang.Object', {
  'getYears/0': (self: Period) => self.years,
  'getMonths/0': (self: Period) => self.months,
  'getDays/0': (self: Period) => self.days,
  ...Object.fromEntries(
    partNames.flatMap((name, at) => {
      const of = (count: unknown) => {
        const parts: [number, number, number] = [0, 0, 0];
        parts[at] = int(count);
        return new Period(...parts);
      };
      return [
        [`plus${name}/1`, (self: Period, count: unknown) => combine(self, of(count), 1)],
        [`minus${name}/1`, (self: Period, count: unknown) => combine(self, of(count), -1)],
        [
          `with${name}/1`,
          (self: Period, count: unknown) => {
            const parts: [number, number, number] = [self.years, self.months, self.days];
            parts[at] = int(count);
            return new Period(...parts);
          },
        ],
      ];
    }),
  ),
  'plus/1': (self: Period, other: unknown) => combine(self, other, 1),
  'minus/1': (self: Period, other: unknown) => combine(self, other, -1),
  'multiply/1': (self: Period, by: unknown) => multiplied(self, int(by)),
  'multipliedBy/1': (self: Period, by: unknown) => multiplied(self, int(by)),
  'negated/0': (self: Period) => multiplied(self, -1),
  'negative/0': (self: Period) => multiplied(self, -1),
  'normalized/0': (self: Period) => {
    const months = self.years * 12 + self.months;
    return new Period(Math.trunc(months / 12), months % 12, self.days);
  },
  'toTotalMonths/0': (self: Period) => BigInt(self.years * 12 + self.months),
  'isZero/0': (self: Period) => self.years === 0 && self.months === 0 && self.days === 0,
  'isNegative/0': (self: Period) => self.years < 0 || self.months < 0 || self.days < 0,
});

defineMethods('java.time.temporal.ChronoUnit', 'java.lang.Enum', {
  'getDuration/0': (self: { name: string }) => new Duration(unitNanos(self.name)),
});
