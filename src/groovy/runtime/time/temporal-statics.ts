import { int, long, millis } from '../arguments.ts';
import { defineStatics, type Implementation } from '../method-table.ts';
import { textOf, toText } from '../text.ts';
import { badArgument } from '../throwable.ts';
import { floorDivide } from './chrono-unit.ts';
import { clocks } from './clock-port.ts';
import { DateTimeFormatter } from './date-time-formatter.ts';
import { parseIso } from './parse-date-time.ts';
import {
  checkRange,
  dateOf,
  dateTimeError,
  FIRST_DAY,
  LAST_DAY,
  momentIn,
  NANOS_PER_DAY,
  Temporal,
  type TemporalKind,
  timeOf,
  zonedAt,
} from './temporal.ts';
import { convertTo, inZone, localPart } from './temporal-conversions.ts';
import { temporal } from './temporal-methods.ts';
import { monthNumber, zone } from './time-arguments.ts';
import { defaultZone } from './zone.ts';
import { offsetZone } from './zone-methods.ts';

/** The present as a clock in the zone shows it. */
function now(kind: TemporalKind, given: unknown): Temporal {
  const clock = clocks.read(given);
  const to = clock?.zone ?? (given === undefined ? defaultZone().as('java.time.ZoneRegion') : zone(given));
  const ms = clock?.ms ?? Date.now();
  if (kind === 'Instant') return momentIn('Instant', ms, 0);
  const offset = to.offsetAt(ms);
  if (kind === 'OffsetDateTime') return momentIn(kind, ms, 0, offset, offsetZone(offset));
  const moment = momentIn('ZonedDateTime', ms, 0, offset, to);
  return kind === 'ZonedDateTime' ? moment : localPart(moment, kind);
}

/** A text, and a formatter or Groovy's pattern. */
function parse(kind: TemporalKind, text: unknown, formatter: unknown): Temporal {
  if (formatter === undefined) return parseIso(toText(text), kind);
  if (formatter instanceof DateTimeFormatter) return formatter.parse(toText(text), kind);
  if (textOf(formatter) === undefined) throw badArgument();
  // Groovy's own form has the pattern second as well: LocalDate.parse('2020/01/02', 'yyyy/MM/dd').
  return new DateTimeFormatter(toText(formatter)).parse(toText(text), kind);
}

function common(kind: TemporalKind): Record<string, Implementation> {
  return {
    'now/0-1': (given?: unknown) => now(kind, given),
    'parse/1-2': (text: unknown, formatter?: unknown) => parse(kind, text, formatter),
    'from/1': (value: unknown) => convertTo(value, kind),
  };
}

function local(kind: 'LocalDate' | 'LocalTime' | 'LocalDateTime', day: number, nanos: number): Temporal {
  return new Temporal(kind, day, nanos);
}

/** `year, month, day, hour, minute[, second[, nano]]`, or a date and a time. */
function localDateTime(values: readonly unknown[]): Temporal {
  const [first, second] = values;
  if (values.length === 2) {
    return local('LocalDateTime', temporal(first, 'LocalDate').day, temporal(second, 'LocalTime').nanos);
  }
  if (values.length < 5) throw badArgument();
  const [year, month, day, ...time] = values;
  const [hour = 0, ...rest] = time.map(int);
  return local('LocalDateTime', dateOf(int(year), monthNumber(month), int(day)), timeOf(hour, ...rest));
}

/** The local part of what `of` of the two kinds with an offset was given. */
function localOf(values: readonly unknown[]): Temporal {
  return values.length === 1 ? temporal(values[0], 'LocalDateTime') : localDateTime(values);
}

function ofEpochSecond(seconds: unknown, nanos: unknown, offset: number): Temporal {
  const total = long(seconds) * 1_000_000_000n + long(nanos) + BigInt(offset) * 1_000_000n;
  const [day, rest] = floorDivide(total, BigInt(NANOS_PER_DAY));
  return local('LocalDateTime', Number(day), Number(rest));
}

const onTheHour = (hour: number) => local('LocalTime', 0, timeOf(hour, 0));

defineStatics(
  'java.time.LocalDate',
  {
    ...common('LocalDate'),
    'of/3': (year: unknown, month: unknown, day: unknown) =>
      local('LocalDate', dateOf(int(year), monthNumber(month), int(day)), 0),
    'ofYearDay/2': (year: unknown, day: unknown) => {
      checkRange('DayOfYear', int(day), 1, 366, '365/366');
      const result = local('LocalDate', dateOf(int(year), 1, 1) + int(day) - 1, 0);
      if (result.fields.year !== int(year))
        throw dateTimeError(`Invalid date 'DayOfYear ${int(day)}' as '${int(year)}' is not a leap year`);
      return result;
    },
    'ofEpochDay/1': (day: unknown) => local('LocalDate', millis(day), 0),
    'ofInstant/2': (moment: unknown, to: unknown) =>
      localPart(inZone(temporal(moment), zone(to)), 'LocalDate'),
  },
  {
    MIN: local('LocalDate', FIRST_DAY, 0),
    MAX: local('LocalDate', LAST_DAY, 0),
    EPOCH: local('LocalDate', 0, 0),
  },
);
defineStatics(
  'java.time.LocalTime',
  {
    ...common('LocalTime'),
    'of/2-4': (...values: unknown[]) => {
      const [hour = 0, ...rest] = values.map(int);
      return local('LocalTime', 0, timeOf(hour, ...rest));
    },
    'ofSecondOfDay/1': (seconds: unknown) => {
      checkRange('SecondOfDay', millis(seconds), 0, 86_399);
      return local('LocalTime', 0, millis(seconds) * 1_000_000_000);
    },
    'ofNanoOfDay/1': (nanos: unknown) => {
      checkRange('NanoOfDay', millis(nanos), 0, NANOS_PER_DAY - 1);
      return local('LocalTime', 0, millis(nanos));
    },
  },
  {
    MIDNIGHT: onTheHour(0),
    MIN: onTheHour(0),
    NOON: onTheHour(12),
    MAX: local('LocalTime', 0, NANOS_PER_DAY - 1),
  },
);
defineStatics(
  'java.time.LocalDateTime',
  {
    ...common('LocalDateTime'),
    'of/2-7': (...values: unknown[]) => localDateTime(values),
    'ofInstant/2': (moment: unknown, to: unknown) =>
      localPart(inZone(temporal(moment), zone(to)), 'LocalDateTime'),
    'ofEpochSecond/3': (seconds: unknown, nanos: unknown, offset: unknown) =>
      ofEpochSecond(seconds, nanos, zone(offset).offsetAt(0)),
  },
  {
    MIN: local('LocalDateTime', FIRST_DAY, 0),
    MAX: local('LocalDateTime', LAST_DAY, NANOS_PER_DAY - 1),
  },
);
defineStatics('java.time.OffsetDateTime', {
  ...common('OffsetDateTime'),
  'of/2-8': (...values: unknown[]) => {
    const to = zone(values.at(-1));
    const { day, nanos } = localOf(values.slice(0, -1));
    return new Temporal('OffsetDateTime', day, nanos, to.offsetAt(0), to);
  },
  'ofInstant/2': (moment: unknown, to: unknown) => inZone(temporal(moment), zone(to), 'OffsetDateTime'),
});
defineStatics('java.time.ZonedDateTime', {
  ...common('ZonedDateTime'),
  'of/2-8': (...values: unknown[]) => {
    const moment = localOf(values.slice(0, -1));
    return zonedAt(moment.wall, moment.nanos % 1_000_000, zone(values.at(-1)));
  },
  'ofInstant/2': (moment: unknown, to: unknown) => inZone(temporal(moment), zone(to)),
});
defineStatics(
  'java.time.Instant',
  {
    ...common('Instant'),
    'ofEpochMilli/1': (ms: unknown) => momentIn('Instant', millis(ms), 0),
    'ofEpochSecond/1-2': (seconds: unknown, nanos: unknown = 0) => {
      const { day, nanos: rest } = ofEpochSecond(seconds, nanos, 0);
      return new Temporal('Instant', day, rest);
    },
  },
  {
    EPOCH: momentIn('Instant', 0, 0),
    MIN: new Temporal('Instant', FIRST_DAY - 366, 0),
    MAX: new Temporal('Instant', LAST_DAY + 366, NANOS_PER_DAY - 1),
  },
);
