import { builtInEnum } from '../built-in-enum.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { exception, type Throwable } from '../throwable.ts';
import { JavaObject } from '../values.ts';
import { addMonths, daysIn, fieldsOf, wallOf } from './date-fields.ts';
import { DAY, offsetText, type Zone } from './zone.ts';

// By hand: js-joda made a sandbox with dates nearly twice as large, and has neither texts nor the old classes.

const LAST_YEAR = 999_999_999;
/** The first and the last day of those years, counted from 1970; an Instant has one year more on both sides. */
export const FIRST_DAY = -365_243_219_162;
export const LAST_DAY = 365_241_780_471;
/** The last moment that JavaScript's own dates know, on both sides of 1970. */
const FARTHEST_MS = 8.64e15;

/** Nanoseconds of a day fit a double. */
export const NANOS_PER_DAY = 86_400_000_000_000;

export type TemporalKind =
  | 'LocalDate'
  | 'LocalTime'
  | 'LocalDateTime'
  | 'OffsetDateTime'
  | 'ZonedDateTime'
  | 'Instant';

export const MONTH_NAMES =
  'JANUARY FEBRUARY MARCH APRIL MAY JUNE JULY AUGUST SEPTEMBER OCTOBER NOVEMBER DECEMBER'.split(' ');
export const monthEnum = builtInEnum('java.time.Month', MONTH_NAMES);
export const DAY_NAMES = 'MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY SUNDAY'.split(' ');
export const dayEnum = builtInEnum('java.time.DayOfWeek', DAY_NAMES);

/**
 * A point of the calendar, of the day, or both: days since 1970 and nanoseconds of the day, of a wall clock where
 * there is an offset or none, of UTC for an Instant.
 */
export class Temporal extends JavaObject {
  readonly type: JavaClass;
  readonly kind: TemporalKind;
  readonly day: number;
  readonly nanos: number;
  /** Milliseconds, of the two kinds that have one. */
  readonly offset: number;
  readonly zone: Zone | undefined;

  constructor(kind: TemporalKind, day: number, nanos: number, offset = 0, zone?: Zone) {
    super();
    this.type = classNamed(`java.time.${kind}`);
    this.kind = kind;
    this.day = day;
    this.nanos = nanos;
    this.offset = offset;
    this.zone = zone;
  }

  get hasDate(): boolean {
    return this.kind !== 'LocalTime';
  }

  get hasTime(): boolean {
    return this.kind !== 'LocalDate';
  }

  get hasOffset(): boolean {
    return this.kind === 'OffsetDateTime' || this.kind === 'ZonedDateTime';
  }

  /** The wall clock in milliseconds. */
  get wall(): number {
    return this.day * DAY + Math.floor(this.nanos / 1_000_000);
  }

  get epochMs(): number {
    return this.wall - this.offset;
  }

  get fields() {
    return fieldsOf(this.day * DAY);
  }

  override toText(): string {
    switch (this.kind) {
      case 'LocalDate':
        return dateText(this.day);
      case 'LocalTime':
        return timeText(this.nanos, false);
      case 'LocalDateTime':
        return `${dateText(this.day)}T${timeText(this.nanos, false)}`;
      case 'Instant':
        return `${dateText(this.day)}T${timeText(this.nanos, true)}Z`;
      default: {
        const offset = offsetId(this.offset);
        const zone =
          this.kind === 'ZonedDateTime' && this.zone !== undefined && this.zone.id !== offset
            ? `[${this.zone.id}]`
            : '';
        return `${dateText(this.day)}T${timeText(this.nanos, false)}${offset}${zone}`;
      }
    }
  }

  override key(): unknown {
    return this.toText();
  }

  /** As Java compares: dates by how many years, months or days they differ, the rest by the sign only. */
  override compareTo(other: unknown): number | undefined {
    if (!(other instanceof Temporal) || other.kind !== this.kind) return undefined;
    if (this.hasOffset && (this.kind === 'ZonedDateTime' || this.offset !== other.offset)) {
      const moments = Math.sign(
        this.epochMs - other.epochMs || (this.nanos % 1_000_000) - (other.nanos % 1_000_000),
      );
      return moments || Math.sign(this.wall - other.wall);
    }
    if (
      this.kind === 'LocalDate' ||
      ((this.kind === 'LocalDateTime' || this.hasOffset) && this.day !== other.day)
    ) {
      const [own, others] = [this.fields, other.fields];
      return own.year - others.year || own.month - others.month || own.day - others.day;
    }
    return Math.sign(this.day - other.day || this.nanos - other.nanos);
  }

  /** Another wall clock; where there is a zone its rules say the offset. */
  at(day: number, nanos: number): Temporal {
    const carried = day + Math.floor(nanos / NANOS_PER_DAY);
    const rest = ((nanos % NANOS_PER_DAY) + NANOS_PER_DAY) % NANOS_PER_DAY;
    if (this.kind === 'LocalTime') return new Temporal(this.kind, 0, rest);
    // Also what is no number, because it is too far away to count months.
    if (!(carried >= FIRST_DAY - 366 && carried <= LAST_DAY + 366))
      throw dateTimeError(`A date exceeds the years -${LAST_YEAR} to ${LAST_YEAR}`);
    if (this.kind !== 'ZonedDateTime' || this.zone === undefined)
      return new Temporal(this.kind, carried, rest, this.offset, this.zone);
    return zonedAt(carried * DAY + Math.floor(rest / 1_000_000), rest % 1_000_000, this.zone);
  }

  plusMonths(count: number): Temporal {
    return this.at(Math.floor(addMonths(this.day * DAY, count) / DAY), this.nanos);
  }
}

/** The clock in a zone that shows a wall time. */
export function zonedAt(wall: number, extraNanos: number, zone: Zone): Temporal {
  if (Math.abs(wall) > FARTHEST_MS)
    throw dateTimeError(`No rules of the zone ${zone.id} are known for a time so far away`);
  const instant = zone.instantOf(wall);
  return momentIn('ZonedDateTime', instant, extraNanos, zone.offsetAt(instant), zone);
}

/** An instant as a clock with an offset shows it. */
export function momentIn(
  kind: TemporalKind,
  ms: number,
  extraNanos: number,
  offset = 0,
  zone?: Zone,
): Temporal {
  const wall = ms + offset;
  const day = Math.floor(wall / DAY);
  return new Temporal(kind, day, (wall - day * DAY) * 1_000_000 + extraNanos, offset, zone);
}

export function daysInMonth(year: number, month: number): number {
  return daysIn(year, month - 1);
}

export function isLeapYear(year: number): boolean {
  return daysIn(year, 1) === 29;
}

/** Days since 1970; the month counts from 1. @throws DateTimeException */
export function dateOf(year: number, month: number, day: number): number {
  checkRange('Year', year, -LAST_YEAR, LAST_YEAR);
  if (month < 1 || month > 12)
    throw dateTimeError(`Invalid value for MonthOfYear (valid values 1 - 12): ${month}`);
  if (day < 1 || day > 31)
    throw dateTimeError(`Invalid value for DayOfMonth (valid values 1 - 28/31): ${day}`);
  if (day > daysIn(year, month - 1)) {
    if (day === 29) throw dateTimeError(`Invalid date 'February 29' as '${year}' is not a leap year`);
    throw dateTimeError(`Invalid date '${MONTH_NAMES[month - 1]} ${day}'`);
  }
  return Math.floor(wallOf(year, month - 1, day) / DAY);
}

export function timeOf(hour: number, minute = 0, second = 0, nano = 0): number {
  for (const [name, value, most] of [
    ['HourOfDay', hour, 23],
    ['MinuteOfHour', minute, 59],
    ['SecondOfMinute', second, 59],
    ['NanoOfSecond', nano, 999_999_999],
  ] as const) {
    checkRange(name, value, 0, most);
  }
  return (hour * 3600 + minute * 60 + second) * 1_000_000_000 + nano;
}

/** @throws DateTimeException */
export function checkRange(
  field: string,
  value: number,
  least: number,
  most: number,
  said = `${most}`,
): void {
  if (value < least || value > most)
    throw dateTimeError(`Invalid value for ${field} (valid values ${least} - ${said}): ${value}`);
}

export function dateTimeError(message: string): Throwable {
  return exception('java.time.DateTimeException', message);
}

export function dateText(day: number): string {
  const { year, month, day: dayOfMonth } = fieldsOf(day * DAY);
  const years =
    year > 9999
      ? `+${year}`
      : year < 0
        ? `-${String(-year).padStart(4, '0')}`
        : String(year).padStart(4, '0');
  return `${years}-${String(month + 1).padStart(2, '0')}-${String(dayOfMonth).padStart(2, '0')}`;
}

/** Seconds and fractions only when they are not zero, fractions in groups of three. */
export function timeText(nanos: number, wantsSeconds: boolean): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const seconds = Math.floor(nanos / 1_000_000_000);
  const rest = nanos % 1_000_000_000;
  const text = `${two(seconds / 3600)}:${two((seconds / 60) % 60)}`;
  if (seconds % 60 === 0 && rest === 0 && !wantsSeconds) return text;
  return `${text}:${two(seconds % 60)}${fractionText(rest)}`;
}

export function fractionText(nanos: number): string {
  if (nanos === 0) return '';
  const digits = String(nanos).padStart(9, '0');
  return `.${digits.endsWith('000000') ? digits.slice(0, 3) : digits.endsWith('000') ? digits.slice(0, 6) : digits}`;
}

/** The id of an offset in milliseconds, such as `+01:00`; offsets of long ago have seconds as well. */
export function offsetId(offset: number): string {
  if (offset === 0) return 'Z';
  const seconds = Math.abs(offset / 1000) % 60;
  return offsetText(offset, true) + (seconds === 0 ? '' : `:${String(seconds).padStart(2, '0')}`);
}
