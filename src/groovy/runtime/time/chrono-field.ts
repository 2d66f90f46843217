import { builtInEnum } from '../built-in-enum.ts';
import { classNamed } from '../java-class.ts';
import { defineStatics } from '../method-table.ts';
import { exception, type Throwable } from '../throwable.ts';
import { EnumConstant } from '../values.ts';
import { dayOfYear, daysIn, weekOf } from './date-fields.ts';
import { checkRange, dateOf, dateTimeError, type Temporal } from './temporal.ts';
import { enumArgument } from './time-arguments.ts';
import { DAY } from './zone.ts';

const CLASS = 'java.time.temporal.ChronoField';
const NAMES = (
  'NANO_OF_SECOND NANO_OF_DAY MICRO_OF_SECOND MICRO_OF_DAY MILLI_OF_SECOND MILLI_OF_DAY SECOND_OF_MINUTE ' +
  'SECOND_OF_DAY MINUTE_OF_HOUR MINUTE_OF_DAY HOUR_OF_AMPM CLOCK_HOUR_OF_AMPM HOUR_OF_DAY CLOCK_HOUR_OF_DAY ' +
  'AMPM_OF_DAY DAY_OF_WEEK ALIGNED_DAY_OF_WEEK_IN_MONTH ALIGNED_DAY_OF_WEEK_IN_YEAR DAY_OF_MONTH DAY_OF_YEAR ' +
  'EPOCH_DAY ALIGNED_WEEK_OF_MONTH ALIGNED_WEEK_OF_YEAR MONTH_OF_YEAR PROLEPTIC_MONTH YEAR_OF_ERA YEAR ERA ' +
  'INSTANT_SECONDS OFFSET_SECONDS'
).split(' ');

/** `MinuteOfHour` for `MINUTE_OF_HOUR`; the two of the half day are written their own way. */
function fieldText(name: string): string {
  const text = name
    .split('_')
    .map((word) => word[0] + word.slice(1).toLowerCase())
    .join('');
  return text.replace('Ampm', 'AmPm');
}

builtInEnum(CLASS, NAMES, fieldText);

const ISO_FIELDS = ['QUARTER_OF_YEAR', 'DAY_OF_QUARTER', 'WEEK_OF_WEEK_BASED_YEAR', 'WEEK_BASED_YEAR'];
defineStatics(
  'java.time.temporal.IsoFields',
  {},
  {
    ...Object.fromEntries(
      ISO_FIELDS.map((name, at) => [
        name,
        new EnumConstant(classNamed(CLASS), name, NAMES.length + at, fieldText(name)),
      ]),
    ),
    QUARTER_YEARS: new EnumConstant(
      classNamed('java.time.temporal.ChronoUnit'),
      'QUARTER_YEARS',
      100,
      'QuarterYears',
    ),
  },
);

export function fieldArgument(value: unknown): string {
  return enumArgument(value, CLASS).name;
}

export function unsupportedField(name: string): Throwable {
  return exception(
    'java.time.temporal.UnsupportedTemporalTypeException',
    `Unsupported field: ${fieldText(name)}`,
  );
}

/** Monday is 1. */
export function weekdayOf(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1;
}

/** A field of a date or a clock. @throws UnsupportedTemporalTypeException when it has no such field */
export function fieldOf(self: Temporal, name: string): number {
  const ofTime = TIME_FIELDS[name];
  if (ofTime !== undefined) {
    if (!self.hasTime || (self.kind === 'Instant' && !INSTANT_FIELDS.has(name))) throw unsupportedField(name);
    return ofTime(self.nanos);
  }
  if (name === 'INSTANT_SECONDS' && (self.kind === 'Instant' || self.hasOffset))
    return Math.floor(self.epochMs / 1000);
  if (name === 'OFFSET_SECONDS' && self.hasOffset) return self.offset / 1000;
  const ofDate = DATE_FIELDS[name];
  if (ofDate === undefined || !self.hasDate || self.kind === 'Instant') throw unsupportedField(name);
  return ofDate(self.day, self.fields);
}

const INSTANT_FIELDS = new Set(['NANO_OF_SECOND', 'MICRO_OF_SECOND', 'MILLI_OF_SECOND']);
const SECOND = 1_000_000_000;
const HOUR = 3600 * SECOND;

const TIME_FIELDS: Readonly<Record<string, (nanos: number) => number>> = {
  NANO_OF_SECOND: (nanos) => nanos % SECOND,
  NANO_OF_DAY: (nanos) => nanos,
  MICRO_OF_SECOND: (nanos) => Math.floor((nanos % SECOND) / 1000),
  MICRO_OF_DAY: (nanos) => Math.floor(nanos / 1000),
  MILLI_OF_SECOND: (nanos) => Math.floor((nanos % SECOND) / 1_000_000),
  MILLI_OF_DAY: (nanos) => Math.floor(nanos / 1_000_000),
  SECOND_OF_MINUTE: (nanos) => Math.floor(nanos / SECOND) % 60,
  SECOND_OF_DAY: (nanos) => Math.floor(nanos / SECOND),
  MINUTE_OF_HOUR: (nanos) => Math.floor(nanos / (60 * SECOND)) % 60,
  MINUTE_OF_DAY: (nanos) => Math.floor(nanos / (60 * SECOND)),
  HOUR_OF_AMPM: (nanos) => Math.floor(nanos / HOUR) % 12,
  CLOCK_HOUR_OF_AMPM: (nanos) => Math.floor(nanos / HOUR) % 12 || 12,
  HOUR_OF_DAY: (nanos) => Math.floor(nanos / HOUR),
  CLOCK_HOUR_OF_DAY: (nanos) => Math.floor(nanos / HOUR) || 24,
  AMPM_OF_DAY: (nanos) => (nanos < 12 * HOUR ? 0 : 1),
};

const DATE_FIELDS: Readonly<Record<string, (day: number, fields: Temporal['fields']) => number>> = {
  DAY_OF_WEEK: weekdayOf,
  DAY_OF_MONTH: (_day, { day }) => day,
  DAY_OF_YEAR: (day) => dayOfYear(day * DAY),
  EPOCH_DAY: (day) => day,
  ALIGNED_DAY_OF_WEEK_IN_MONTH: (_day, { day }) => ((day - 1) % 7) + 1,
  ALIGNED_DAY_OF_WEEK_IN_YEAR: (day) => ((dayOfYear(day * DAY) - 1) % 7) + 1,
  ALIGNED_WEEK_OF_MONTH: (_day, { day }) => Math.floor((day - 1) / 7) + 1,
  ALIGNED_WEEK_OF_YEAR: (day) => Math.floor((dayOfYear(day * DAY) - 1) / 7) + 1,
  MONTH_OF_YEAR: (_day, { month }) => month + 1,
  PROLEPTIC_MONTH: (_day, { year, month }) => year * 12 + month,
  YEAR_OF_ERA: (_day, { year }) => (year > 0 ? year : 1 - year),
  YEAR: (_day, { year }) => year,
  ERA: (_day, { year }) => (year > 0 ? 1 : 0),
  QUARTER_OF_YEAR: (_day, { month }) => Math.floor(month / 3) + 1,
  DAY_OF_QUARTER: (day, { year, month }) => day - dateOf(year, month - (month % 3) + 1, 1) + 1,
  WEEK_OF_WEEK_BASED_YEAR: (day) => weekOf(day * DAY, 2, 4).week,
  WEEK_BASED_YEAR: (day) => weekOf(day * DAY, 2, 4).year,
};

/** The same with another value in one field. */
export function withField(self: Temporal, name: string, value: number): Temporal {
  const { day, nanos } = self;
  if (TIME_FIELDS[name] !== undefined) {
    if (!self.hasTime) throw unsupportedField(name);
    return self.at(day, withTimeField(nanos, name, value));
  }
  if (!self.hasDate || self.kind === 'Instant') throw unsupportedField(name);
  const { year, month, day: dayOfMonth } = self.fields;
  switch (name) {
    case 'YEAR':
    case 'YEAR_OF_ERA':
      return self.at(dateOf(value, month + 1, Math.min(dayOfMonth, daysIn(value, month))), nanos);
    case 'MONTH_OF_YEAR':
      return self.at(dateOf(year, value, Math.min(dayOfMonth, daysIn(year, value - 1))), nanos);
    case 'DAY_OF_MONTH':
      return self.at(dateOf(year, month + 1, value), nanos);
    case 'DAY_OF_YEAR':
      checkRange('DayOfYear', value, 1, 366, '365/366');
      if (value > dayOfYear(dateOf(year, 12, 31) * DAY))
        throw dateTimeError(`Invalid date 'DayOfYear ${value}' as '${year}' is not a leap year`);
      return self.at(dateOf(year, 1, 1) + value - 1, nanos);
    case 'DAY_OF_WEEK':
      checkRange('DayOfWeek', value, 1, 7);
      return self.at(day + value - weekdayOf(day), nanos);
    case 'EPOCH_DAY':
      return self.at(value, nanos);
    default:
      throw unsupportedField(name);
  }
}

const BOUNDS: Readonly<Record<string, readonly [unit: number, count: number]>> = {
  NANO_OF_SECOND: [1, SECOND],
  MICRO_OF_SECOND: [1000, 1_000_000],
  MILLI_OF_SECOND: [1_000_000, 1000],
  SECOND_OF_MINUTE: [SECOND, 60],
  MINUTE_OF_HOUR: [60 * SECOND, 60],
  HOUR_OF_DAY: [HOUR, 24],
  NANO_OF_DAY: [1, 24 * HOUR],
  MILLI_OF_DAY: [1_000_000, 86_400_000],
  SECOND_OF_DAY: [SECOND, 86_400],
  MINUTE_OF_DAY: [60 * SECOND, 1440],
};

function withTimeField(nanos: number, name: string, value: number): number {
  const bounds = BOUNDS[name];
  if (bounds === undefined) throw unsupportedField(name);
  const [unit, count] = bounds;
  checkRange(fieldText(name), value, 0, count - 1);
  const span = unit * count;
  const inside = nanos % span;
  // A fraction of a second replaces everything below the second.
  const kept = unit < SECOND ? 0 : inside % unit;
  return nanos - inside + value * unit + kept;
}
