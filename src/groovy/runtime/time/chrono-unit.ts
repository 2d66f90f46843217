import { builtInEnum } from '../built-in-enum.ts';
import { exception, type Throwable } from '../throwable.ts';
import type { Duration } from './amounts.ts';
import { momentIn, NANOS_PER_DAY, type Temporal } from './temporal.ts';
import { enumArgument } from './time-arguments.ts';

const CLASS = 'java.time.temporal.ChronoUnit';
/** Nanoseconds of the units of a clock. */
const CLOCK: Readonly<Record<string, bigint>> = {
  NANOS: 1n,
  MICROS: 1000n,
  MILLIS: 1_000_000n,
  SECONDS: 1_000_000_000n,
  MINUTES: 60_000_000_000n,
  HOURS: 3_600_000_000_000n,
  HALF_DAYS: 43_200_000_000_000n,
};
const DAYS: Readonly<Record<string, number>> = { DAYS: 1, WEEKS: 7 };
const MONTHS: Readonly<Record<string, number>> = {
  MONTHS: 1,
  YEARS: 12,
  DECADES: 120,
  CENTURIES: 1200,
  MILLENNIA: 12_000,
};
const NAMES = [...Object.keys(CLOCK), ...Object.keys(DAYS), ...Object.keys(MONTHS), 'ERAS', 'FOREVER'];

export type UnitName = string;

function unitText(name: string): string {
  if (name === 'HALF_DAYS') return 'HalfDays';
  return name[0] + name.slice(1).toLowerCase();
}

builtInEnum(CLASS, NAMES, unitText);

export function unitArgument(value: unknown): UnitName {
  return enumArgument(value, CLASS).name;
}

function unsupportedUnit(unit: UnitName): Throwable {
  return exception(
    'java.time.temporal.UnsupportedTemporalTypeException',
    `Unsupported unit: ${unitText(unit)}`,
  );
}

/** How long a unit of fixed length is. @throws UnsupportedTemporalTypeException */
export function unitNanos(unit: UnitName): bigint {
  const nanos = CLOCK[unit] ?? (unit === 'DAYS' ? BigInt(NANOS_PER_DAY) : undefined);
  if (nanos === undefined) {
    throw exception(
      'java.time.temporal.UnsupportedTemporalTypeException',
      'Unit must not have an estimated duration',
    );
  }
  return nanos;
}

/** Nanoseconds since 1970, of an instant or of a wall clock. */
export function nanosOf({ day, nanos, kind, offset }: Temporal): bigint {
  const wall = BigInt(day) * BigInt(NANOS_PER_DAY) + BigInt(nanos);
  return kind === 'LocalDateTime' || kind === 'LocalDate' ? wall : wall - BigInt(offset) * 1_000_000n;
}

function plusNanos(self: Temporal, count: bigint): Temporal {
  const total = BigInt(self.day) * BigInt(NANOS_PER_DAY) + BigInt(self.nanos) + count;
  if (self.kind !== 'ZonedDateTime') {
    const [day, nanos] = floorDivide(total, BigInt(NANOS_PER_DAY));
    return self.at(Number(day), Number(nanos));
  }
  const [ms, extra] = floorDivide(total - BigInt(self.offset) * 1_000_000n, 1_000_000n);
  return momentIn(self.kind, Number(ms), Number(extra), self.zone!.offsetAt(Number(ms)), self.zone);
}

function monthsOf(unit: UnitName): number | undefined {
  return unit === 'QUARTER_YEARS' ? 3 : MONTHS[unit];
}

export function plusUnits(self: Temporal, count: bigint, unit: UnitName): Temporal {
  const clock = CLOCK[unit];
  if (clock !== undefined) {
    if (!self.hasTime) throw unsupportedUnit(unit);
    return plusNanos(self, count * clock);
  }
  const days = DAYS[unit];
  if (days !== undefined) {
    if (!self.hasDate || (self.kind === 'Instant' && unit !== 'DAYS')) throw unsupportedUnit(unit);
    return self.at(self.day + Number(count) * days, self.nanos);
  }
  const months = monthsOf(unit);
  if (months === undefined || !self.hasDate || self.kind === 'Instant') throw unsupportedUnit(unit);
  return self.plusMonths(Number(count) * months);
}

export function plusDuration(self: Temporal, { nanos }: Duration, sign: 1n | -1n): Temporal {
  if (!self.hasTime) throw unsupportedUnit('SECONDS');
  return plusNanos(self, nanos * sign);
}

/** Whole units from one to the other. */
export function unitsBetween(from: Temporal, to: Temporal, unit: UnitName): bigint {
  const clock = CLOCK[unit];
  if (clock !== undefined) {
    if (!from.hasTime) throw unsupportedUnit(unit);
    const count = (nanosOf(to) - nanosOf(from)) / clock;
    if (BigInt.asIntN(64, count) !== count) throw exception('java.lang.ArithmeticException', 'long overflow');
    return count;
  }
  if (!from.hasDate || (from.kind === 'Instant' && unit !== 'DAYS')) throw unsupportedUnit(unit);
  const end = sameZone(from, to);
  const days = wholeDays(from, end);
  const perUnit = DAYS[unit];
  if (perUnit !== undefined) return BigInt(Math.trunc((days - from.day) / perUnit));
  const perMonth = monthsOf(unit);
  if (perMonth === undefined) throw unsupportedUnit(unit);
  return BigInt(Math.trunc(monthsBetween(from, end.at(days, end.nanos)) / perMonth));
}

function sameZone(from: Temporal, to: Temporal): Temporal {
  if (!from.hasOffset || from.offset === to.offset) return to;
  const offset = from.kind === 'ZonedDateTime' ? from.zone!.offsetAt(to.epochMs) : from.offset;
  return momentIn(from.kind, to.epochMs, to.nanos % 1_000_000, offset, from.zone);
}

/** The day of `to`, or the day before when the clock has not come round to the time of `from`. */
function wholeDays(from: Temporal, to: Temporal): number {
  if (!from.hasTime) return to.day;
  if (to.day > from.day && to.nanos < from.nanos) return to.day - 1;
  return to.day < from.day && to.nanos > from.nanos ? to.day + 1 : to.day;
}

function monthsBetween(from: Temporal, to: Temporal): number {
  const packed = ({ fields: { year, month, day } }: Temporal) => (year * 12 + month) * 32 + day;
  return Math.trunc((packed(to) - packed(from)) / 32);
}

/** The clock without everything smaller than the unit. */
export function truncate(self: Temporal, unit: UnitName): Temporal {
  if (unit === 'DAYS') return self.at(self.day, 0);
  const clock = CLOCK[unit];
  if (clock === undefined) {
    throw exception(
      'java.time.temporal.UnsupportedTemporalTypeException',
      'Unit is too large to be used for truncation',
    );
  }
  return self.at(self.day, self.nanos - (self.nanos % Number(clock)));
}

/** Floor and what is left, which is never negative. */
export function floorDivide(value: bigint, by: bigint): [bigint, bigint] {
  const rest = ((value % by) + by) % by;
  return [(value - rest) / by, rest];
}
