import { classNamed, type JavaClass } from '../java-class.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import '../methods/object-methods.ts';
import { int } from '../arguments.ts';
import { toText } from '../text.ts';
import { badArgument } from '../throwable.ts';
import { JavaObject } from '../values.ts';
import { DateTimeFormatter } from './date-time-formatter.ts';
import { parseError } from './parse-date-time.ts';
import {
  dateOf,
  dateTimeError,
  daysInMonth,
  isLeapYear,
  MONTH_NAMES,
  momentIn,
  monthEnum,
  Temporal,
} from './temporal.ts';
import { monthNumber, zone } from './time-arguments.ts';
import { defaultZone } from './zone.ts';

/** A month of a year, or with month 0 the whole year. */
class YearMonth extends JavaObject {
  readonly type: JavaClass;
  readonly year: number;
  readonly month: number;

  constructor(year: number, month: number) {
    super();
    this.type = classNamed(month === 0 ? 'java.time.Year' : 'java.time.YearMonth');
    this.year = year;
    this.month = month;
  }

  override key(): unknown {
    return this.toText();
  }

  override compareTo(other: unknown): number | undefined {
    return other instanceof YearMonth ? this.year - other.year || this.month - other.month : undefined;
  }

  override toText(): string {
    const year = this.year > 9999 ? `+${this.year}` : String(this.year).padStart(4, '0');
    return this.month === 0 ? String(this.year) : `${year}-${String(this.month).padStart(2, '0')}`;
  }
}

function yearMonth(year: number, month: number): YearMonth {
  if (month < 1 || month > 12)
    throw dateTimeError(`Invalid value for MonthOfYear (valid values 1 - 12): ${month}`);
  return new YearMonth(year, month);
}

function moved(self: YearMonth, months: number): YearMonth {
  const total = self.year * 12 + self.month - 1 + months;
  return new YearMonth(Math.floor(total / 12), (((total % 12) + 12) % 12) + 1);
}

function today(to: unknown): Temporal {
  const ms = Date.now();
  return momentIn('LocalDate', ms, 0, (to === undefined ? defaultZone() : zone(to)).offsetAt(ms));
}

function day(self: YearMonth, dayOfMonth: number): Temporal {
  return new Temporal('LocalDate', dateOf(self.year, self.month, dayOfMonth), 0);
}

function other(value: unknown): YearMonth {
  if (!(value instanceof YearMonth)) throw badArgument();
  return value;
}

function parse(text: string, formatter: unknown, isYear: boolean): YearMonth {
  if (formatter instanceof DateTimeFormatter) {
    const { year, month } = formatter.parse(text, 'LocalDate').fields;
    return new YearMonth(year, isYear ? 0 : month + 1);
  }
  const match = (isYear ? /^(-?\d{4,9})()$/ : /^([+-]?\d{4,9})-(\d{2})$/).exec(text);
  if (match === null) throw parseError(text);
  return isYear ? new YearMonth(Number(match[1]), 0) : yearMonth(Number(match[1]), Number(match[2]));
}

function format(self: YearMonth, formatter: unknown): string {
  const made = formatter instanceof DateTimeFormatter ? formatter : new DateTimeFormatter(toText(formatter));
  return made.format(new Temporal('LocalDate', dateOf(self.year, Math.max(self.month, 1), 1), 0));
}

const COMMON = {
  'isLeapYear/0': (self: YearMonth) => isLeapYear(self.year),
  'isBefore/1': (self: YearMonth, value: unknown) => self.compareTo(other(value))! < 0,
  'isAfter/1': (self: YearMonth, value: unknown) => self.compareTo(other(value))! > 0,
  'compareTo/1': (self: YearMonth, value: unknown) => self.compareTo(other(value)),
  'format/1': format,
};

defineStatics('java.time.YearMonth', {
  'of/2': (year: unknown, month: unknown) => yearMonth(int(year), monthNumber(month)),
  'now/0-1': (to?: unknown) => {
    const { year, month } = today(to).fields;
    return new YearMonth(year, month + 1);
  },
  'from/1': (value: unknown) => {
    if (!(value instanceof Temporal) || !value.hasDate) throw badArgument();
    return new YearMonth(value.fields.year, value.fields.month + 1);
  },
  'parse/1-2': (text: unknown, formatter?: unknown) => parse(toText(text), formatter, false),
});
defineMethods('java.time.YearMonth', 'java.lang.Object', {
  ...COMMON,
  'getYear/0': (self: YearMonth) => self.year,
  'getMonthValue/0': (self: YearMonth) => self.month,
  'getMonth/0': (self: YearMonth) => monthEnum[MONTH_NAMES[self.month - 1]!],
  'lengthOfMonth/0': (self: YearMonth) => daysInMonth(self.year, self.month),
  'lengthOfYear/0': (self: YearMonth) => (isLeapYear(self.year) ? 366 : 365),
  'atDay/1': (self: YearMonth, dayOfMonth: unknown) => day(self, int(dayOfMonth)),
  'atEndOfMonth/0': (self: YearMonth) => day(self, daysInMonth(self.year, self.month)),
  'plusMonths/1': (self: YearMonth, count: unknown) => moved(self, int(count)),
  'minusMonths/1': (self: YearMonth, count: unknown) => moved(self, -int(count)),
  'plusYears/1': (self: YearMonth, count: unknown) => moved(self, int(count) * 12),
  'minusYears/1': (self: YearMonth, count: unknown) => moved(self, -int(count) * 12),
  'plus/1': (self: YearMonth, count: unknown) => moved(self, int(count)),
  'minus/1': (self: YearMonth, count: unknown) => moved(self, -int(count)),
  'withMonth/1': (self: YearMonth, month: unknown) => yearMonth(self.year, int(month)),
  'withYear/1': (self: YearMonth, year: unknown) => yearMonth(int(year), self.month),
  'next/0': (self: YearMonth) => moved(self, 1),
  'previous/0': (self: YearMonth) => moved(self, -1),
});

defineStatics('java.time.Year', {
  'of/1': (year: unknown) => new YearMonth(int(year), 0),
  'now/0-1': (to?: unknown) => new YearMonth(today(to).fields.year, 0),
  'isLeap/1': (year: unknown) => isLeapYear(int(year)),
  'parse/1-2': (text: unknown, formatter?: unknown) => parse(toText(text), formatter, true),
});
defineMethods('java.time.Year', 'java.lang.Object', {
  ...COMMON,
  'getValue/0': (self: YearMonth) => self.year,
  'isLeap/0': (self: YearMonth) => isLeapYear(self.year),
  'length/0': (self: YearMonth) => (isLeapYear(self.year) ? 366 : 365),
  'atMonth/1': (self: YearMonth, month: unknown) => yearMonth(self.year, monthNumber(month)),
  'atDay/1': (self: YearMonth, dayOfYear: unknown) =>
    new Temporal('LocalDate', dateOf(self.year, 1, 1) + int(dayOfYear) - 1, 0),
  'plusYears/1': (self: YearMonth, count: unknown) => new YearMonth(self.year + int(count), 0),
  'minusYears/1': (self: YearMonth, count: unknown) => new YearMonth(self.year - int(count), 0),
  'plus/1': (self: YearMonth, count: unknown) => new YearMonth(self.year + int(count), 0),
  'minus/1': (self: YearMonth, count: unknown) => new YearMonth(self.year - int(count), 0),
  'next/0': (self: YearMonth) => new YearMonth(self.year + 1, 0),
  'previous/0': (self: YearMonth) => new YearMonth(self.year - 1, 0),
});
