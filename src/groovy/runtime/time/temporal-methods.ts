import { int, long } from '../arguments.ts';
import { Closure, call1 } from '../closure.ts';
import { compare } from '../equality.ts';
import { defineMethods, type Implementation } from '../method-table.ts';
import { runWith } from '../methods/object-methods.ts';
import { textOf, toText } from '../text.ts';
import { badArgument, exception, nullPointer } from '../throwable.ts';
import { periodBetween } from './amount-methods.ts';
import { Duration, Period } from './amounts.ts';
import { fieldArgument, fieldOf, unsupportedField, weekdayOf, withField } from './chrono-field.ts';
import {
  plusDuration,
  plusUnits,
  truncate,
  type UnitName,
  unitArgument,
  unitsBetween,
} from './chrono-unit.ts';
import { DateTimeFormatter } from './date-time-formatter.ts';
import {
  DAY_NAMES,
  dayEnum,
  daysInMonth,
  isLeapYear,
  MONTH_NAMES,
  monthEnum,
  Temporal,
  type TemporalKind,
} from './temporal.ts';
import { isAdjustingEnum, TemporalAdjuster } from './temporal-adjusters.ts';
import { monthNumber } from './time-arguments.ts';

type Methods = Record<string, Implementation>;

/** @throws NullPointerException, BadArgument */
export function temporal(value: unknown, ...kinds: readonly TemporalKind[]): Temporal {
  if (value === null) throw nullPointer('temporal');
  if (!(value instanceof Temporal) || (kinds.length > 0 && !kinds.includes(value.kind))) throw badArgument();
  return value;
}

/** The unit that a bare number means. */
function defaultUnit({ kind }: Temporal): UnitName {
  return kind === 'LocalDate' ? 'DAYS' : 'SECONDS';
}

function plus(self: Temporal, amount: unknown, sign: 1 | -1, unit?: unknown): Temporal {
  if (unit !== undefined) return plusUnits(self, long(amount) * BigInt(sign), unitArgument(unit));
  if (amount instanceof Duration) return plusDuration(self, amount, sign === 1 ? 1n : -1n);
  if (!(amount instanceof Period)) return plusUnits(self, long(amount) * BigInt(sign), defaultUnit(self));
  const { years, months, days } = amount;
  const total = years * 12 + months;
  const moved = total === 0 ? self : plusUnits(self, BigInt(total * sign), 'MONTHS');
  return days === 0 ? moved : plusUnits(moved, BigInt(days * sign), 'DAYS');
}

function moving(name: string, unit: UnitName): Methods {
  return {
    [`plus${name}/1`]: (self: Temporal, count: unknown) => plusUnits(self, long(count), unit),
    [`minus${name}/1`]: (self: Temporal, count: unknown) => plusUnits(self, -long(count), unit),
  };
}

/** Another part of the date or clock, a whole date or clock, a field, or Groovy's `with { }`. */
function changed(self: Temporal, first: unknown, second?: unknown): unknown {
  if (second !== undefined) return withField(self, fieldArgument(first), int(second));
  if (first instanceof Closure) return runWith(self, first);
  if (first instanceof TemporalAdjuster) return first.apply(self);
  if (isAdjustingEnum(first)) {
    const isMonth = first.type.name === 'java.time.Month';
    return withField(self, isMonth ? 'MONTH_OF_YEAR' : 'DAY_OF_WEEK', first.ordinal + 1);
  }
  const other = temporal(first);
  if (other.kind === 'LocalDate') return self.at(other.day, self.nanos);
  if (other.kind === 'LocalTime') return self.at(self.day, other.nanos);
  return self.at(other.day, other.nanos);
}

function format(self: Temporal, formatter: unknown): string {
  if (formatter instanceof DateTimeFormatter) return formatter.format(self);
  if (textOf(formatter) === undefined) throw badArgument();
  return new DateTimeFormatter(toText(formatter)).format(self);
}

/** `from.upto(to) { }`, forwards or backwards. */
function walk(sign: 1 | -1, name: string) {
  return (self: Temporal, end: unknown, ...rest: unknown[]) => {
    const last = temporal(end, self.kind);
    const unit = rest.length > 1 ? unitArgument(rest[0]) : defaultUnit(self);
    if (compare(self, last) * sign > 0) {
      throw exception(
        'groovy.lang.GroovyRuntimeException',
        `The argument (${last.toText()}) to ${name}() cannot be ${sign > 0 ? 'earlier' : 'later'} than the value (${self.toText()}) it's called on.`,
      );
    }
    for (let each = self; compare(each, last) * sign <= 0; each = plusUnits(each, BigInt(sign), unit)) {
      call1(rest.at(-1), each);
    }
    return null;
  };
}

const COMMON: Methods = {
  'plus/1-2': (self: Temporal, amount: unknown, unit?: unknown) => plus(self, amount, 1, unit),
  'minus/1-2': (self: Temporal, amount: unknown, unit?: unknown) =>
    isDay(self) && isDay(amount) ? BigInt(self.day - amount.day) : plus(self, amount, -1, unit),
  'next/0': (self: Temporal) => plus(self, 1, 1),
  'previous/0': (self: Temporal) => plus(self, 1, -1),
  'isBefore/1': (self: Temporal, other: unknown) => order(self, other) < 0,
  'isAfter/1': (self: Temporal, other: unknown) => order(self, other) > 0,
  'isEqual/1': (self: Temporal, other: unknown) => order(self, other) === 0,
  'compareTo/1': (self: Temporal, other: unknown) => {
    const result = self.compareTo(temporal(other));
    if (result === undefined) throw badArgument();
    return result;
  },
  'format/1': format,
  'with/1-2': changed,
  'until/2': (self: Temporal, end: unknown, unit: unknown) =>
    unitsBetween(self, temporal(end), unitArgument(unit)),
  'upto/2-3': walk(1, 'upto'),
  'downto/2-3': walk(-1, 'downto'),
  'get/1': (self: Temporal, field: unknown) => intField(self, fieldArgument(field)),
  'getAt/1': (self: Temporal, field: unknown) => intField(self, fieldArgument(field)),
  'getLong/1': (self: Temporal, field: unknown) => BigInt(fieldOf(self, fieldArgument(field))),
  'isSupported/1': (self: Temporal, field: unknown) => isSupported(self, field),
};

function intField(self: Temporal, name: string): number {
  if (name === 'EPOCH_DAY' || name === 'NANO_OF_DAY' || name === 'PROLEPTIC_MONTH')
    throw unsupportedField(name);
  return fieldOf(self, name);
}

function isSupported(self: Temporal, field: unknown): boolean {
  try {
    fieldOf(self, fieldArgument(field));
    return true;
  } catch {
    return false;
  }
}

/** The order of two temporals, compared as instants where there is an offset. */
function order(self: Temporal, value: unknown): number {
  const other = temporal(value);
  if (self.hasOffset && other.hasOffset) {
    return self.epochMs - other.epochMs || (self.nanos % 1_000_000) - (other.nanos % 1_000_000);
  }
  const result = self.compareTo(other);
  if (result === undefined) throw badArgument();
  return result;
}

const DATE: Methods = {
  ...moving('Days', 'DAYS'),
  ...moving('Weeks', 'WEEKS'),
  ...moving('Months', 'MONTHS'),
  ...moving('Years', 'YEARS'),
  'getYear/0': (self: Temporal) => self.fields.year,
  'getMonth/0': (self: Temporal) => monthEnum[MONTH_NAMES[self.fields.month]!],
  'getMonthValue/0': (self: Temporal) => self.fields.month + 1,
  'getDayOfMonth/0': (self: Temporal) => self.fields.day,
  'getDayOfYear/0': (self: Temporal) => fieldOf(self, 'DAY_OF_YEAR'),
  'getDayOfWeek/0': (self: Temporal) => dayEnum[DAY_NAMES[weekdayOf(self.day) - 1]!],
  'withYear/1': (self: Temporal, year: unknown) => withField(self, 'YEAR', int(year)),
  'withMonth/1': (self: Temporal, month: unknown) => withField(self, 'MONTH_OF_YEAR', monthNumber(month)),
  'withDayOfMonth/1': (self: Temporal, day: unknown) => withField(self, 'DAY_OF_MONTH', int(day)),
  'withDayOfYear/1': (self: Temporal, day: unknown) => withField(self, 'DAY_OF_YEAR', int(day)),
};

const TIME: Methods = {
  ...moving('Hours', 'HOURS'),
  ...moving('Minutes', 'MINUTES'),
  ...moving('Seconds', 'SECONDS'),
  ...moving('Nanos', 'NANOS'),
  'getHour/0': (self: Temporal) => fieldOf(self, 'HOUR_OF_DAY'),
  'getMinute/0': (self: Temporal) => fieldOf(self, 'MINUTE_OF_HOUR'),
  'getSecond/0': (self: Temporal) => fieldOf(self, 'SECOND_OF_MINUTE'),
  'getNano/0': (self: Temporal) => fieldOf(self, 'NANO_OF_SECOND'),
  'withHour/1': (self: Temporal, hour: unknown) => withField(self, 'HOUR_OF_DAY', int(hour)),
  'withMinute/1': (self: Temporal, minute: unknown) => withField(self, 'MINUTE_OF_HOUR', int(minute)),
  'withSecond/1': (self: Temporal, second: unknown) => withField(self, 'SECOND_OF_MINUTE', int(second)),
  'withNano/1': (self: Temporal, nano: unknown) => withField(self, 'NANO_OF_SECOND', int(nano)),
  'truncatedTo/1': (self: Temporal, unit: unknown) => truncate(self, unitArgument(unit)),
};

/** Whether a value is a LocalDate: the difference of two of them is a number of days. */
function isDay(value: unknown): value is Temporal {
  return value instanceof Temporal && value.kind === 'LocalDate';
}

defineMethods('java.time.LocalDate', 'java.lang.Object', {
  ...COMMON,
  ...DATE,
  'isLeapYear/0': ({ fields }: Temporal) => isLeapYear(fields.year),
  'lengthOfMonth/0': ({ fields }: Temporal) => daysInMonth(fields.year, fields.month + 1),
  'lengthOfYear/0': ({ fields }: Temporal) => (isLeapYear(fields.year) ? 366 : 365),
  'toEpochDay/0': ({ day }: Temporal) => BigInt(day),
  'until/1-2': (self: Temporal, end: unknown, unit?: unknown) =>
    unit === undefined
      ? periodBetween(self, temporal(end))
      : unitsBetween(self, temporal(end), unitArgument(unit)),
  'rightShift/1': (self: Temporal, end: unknown) => periodBetween(self, temporal(end)),
  'datesUntil/1': (self: Temporal, end: unknown) =>
    Array.from({ length: Math.max(0, temporal(end).day - self.day) }, (_, at) => self.at(self.day + at, 0)),
  'getDateString/0': (self: Temporal) => self.toText(),
});
defineMethods('java.time.LocalTime', 'java.lang.Object', {
  ...COMMON,
  ...TIME,
  'toSecondOfDay/0': (self: Temporal) => fieldOf(self, 'SECOND_OF_DAY'),
  'toNanoOfDay/0': (self: Temporal) => BigInt(self.nanos),
  'getTimeString/0': (self: Temporal) => new DateTimeFormatter('ISO_LOCAL_TIME', true).format(self),
});
for (const kind of ['LocalDateTime', 'OffsetDateTime', 'ZonedDateTime'] as const) {
  defineMethods(`java.time.${kind}`, 'java.lang.Object', { ...COMMON, ...DATE, ...TIME });
}
defineMethods('java.time.Instant', 'java.lang.Object', {
  ...COMMON,
  ...moving('Seconds', 'SECONDS'),
  ...moving('Millis', 'MILLIS'),
  ...moving('Nanos', 'NANOS'),
  'getNano/0': (self: Temporal) => fieldOf(self, 'NANO_OF_SECOND'),
  'getEpochSecond/0': (self: Temporal) => BigInt(Math.floor(self.epochMs / 1000)),
  'toEpochMilli/0': (self: Temporal) => BigInt(self.epochMs),
  'truncatedTo/1': (self: Temporal, unit: unknown) => truncate(self, unitArgument(unit)),
});

defineMethods('java.time.temporal.ChronoUnit', 'java.lang.Enum', {
  'between/2': (self: { name: UnitName }, from: unknown, to: unknown) =>
    unitsBetween(temporal(from), temporal(to), self.name),
});

for (const [kind, names] of [
  ['DayOfWeek', DAY_NAMES],
  ['Month', MONTH_NAMES],
] as const) {
  const constants = kind === 'DayOfWeek' ? dayEnum : monthEnum;
  const count = names.length;
  const move = (self: { ordinal: number }, by: unknown, sign: number) =>
    constants[names[(((self.ordinal + (int(by) % count) * sign) % count) + count) % count]!];
  defineMethods(`java.time.${kind}`, 'java.lang.Enum', {
    'getValue/0': (self: { ordinal: number }) => self.ordinal + 1,
    'plus/1': (self: { ordinal: number }, by: unknown) => move(self, by, 1),
    'minus/1': (self: { ordinal: number }, by: unknown) => move(self, by, -1),
    'next/0': (self: { ordinal: number }) => move(self, 1, 1),
    'previous/0': (self: { ordinal: number }) => move(self, 1, -1),
    'getDisplayName/2': (self: { name: string }, style: { name: string }) => {
      const word = self.name[0] + self.name.slice(1).toLowerCase();
      if (style.name.startsWith('NARROW')) return word[0];
      return style.name.startsWith('SHORT') ? word.slice(0, 3) : word;
    },
  });
}
defineMethods('java.time.Month', 'java.lang.Enum', {
  'length/1': (self: { ordinal: number }, isLeap: unknown) =>
    daysInMonth(isLeap === true ? 2024 : 2023, self.ordinal + 1),
  'maxLength/0': (self: { ordinal: number }) => daysInMonth(2024, self.ordinal + 1),
  'minLength/0': (self: { ordinal: number }) => daysInMonth(2023, self.ordinal + 1),
});
