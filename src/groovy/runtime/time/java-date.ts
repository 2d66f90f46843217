import { toLong } from '../arithmetic.ts';
import { call1 } from '../closure.ts';
import { addPlainForm, dates } from '../host-values.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { JavaMap } from '../java-map.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import '../methods/object-methods.ts';
import { int, millis } from '../arguments.ts';
import { toText } from '../text.ts';
import { illegalArgument } from '../throwable.ts';
import { isNumeric, JavaObject } from '../values.ts';
import { CALENDAR_NAMES, Calendar, FIELD } from './calendar.ts';
import { fieldsOf, wallOf } from './date-fields.ts';
import { formatDate, parseDate, zoneName } from './date-pattern.ts';
import type { Temporal } from './temporal.ts';
import { DAY, defaultZone, Zone, zoneOf } from './zone.ts';

const DATE_CLASS = classNamed('java.util.Date');

export class JavaDate extends JavaObject {
  readonly type: JavaClass = DATE_CLASS;
  ms: number;

  constructor(ms: number) {
    super();
    this.ms = ms;
  }

  override toText(): string {
    const zone = defaultZone();
    const name = zoneName(zone, zone.offsetAt(this.ms));
    return `${formatDate(this.ms, 'EEE MMM dd HH:mm:ss', zone)} ${name} ${formatDate(this.ms, 'yyyy', zone)}`;
  }

  override key(): unknown {
    return this.ms;
  }

  override compareTo(other: unknown): number | undefined {
    return other instanceof JavaDate ? Math.sign(this.ms - other.ms) : undefined;
  }
}

function zoneArgument(value: unknown): Zone {
  if (value === undefined || value === null) return defaultZone();
  if (value instanceof Zone) return value;
  return zoneOf(toText(value));
}

function dated(year: unknown, month: unknown, day: unknown, time: readonly unknown[]): number {
  const [hour = 0, minute = 0, second = 0] = time.map(int);
  return defaultZone().instantOf(wallOf(int(year), int(month), int(day), hour, minute, second));
}

/** Days of the calendar since 1970. */
function dayOf(ms: number): number {
  return Math.floor((ms + defaultZone().offsetAt(ms)) / DAY);
}

/** `date.updated(year: 2020, …)` and the like. */
function withFields(calendar: Calendar, values: JavaMap): Calendar {
  const names: Readonly<Record<string, number>> = {
    year: 1,
    month: 2,
    date: 5,
    dayOfMonth: 5,
    hourOfDay: 11,
    minute: 12,
    second: 13,
    millisecond: 14,
  };
  const copy = new Calendar(calendar.ms, calendar.zone);
  for (const { key, value } of values.list()) {
    const field = names[toText(key)];
    if (field === undefined) throw illegalArgument(`Unknown field ${toText(key)}`);
    copy.set(field, int(value));
  }
  return copy;
}

/** The forms that Java's own constructor is used with: `2024/01/15`, `01/15/2024`, each with a time or without. */
const DATE_TEXT =
  /^(?:(\d{3,4})\/(\d\d?)\/(\d\d?)|(\d\d?)\/(\d\d?)\/(\d{4}))(?: (\d\d?):(\d\d?)(?::(\d\d?))?)?$/;

function parseDateText(text: string): number {
  const match = DATE_TEXT.exec(text.trim());
  if (match === null) return parseDate(text, 'EEE MMM dd HH:mm:ss zzz yyyy', defaultZone());
  const [, year, month, day, us, usDay, usYear, ...time] = match;
  const numbers = time.map((part) => Number(part ?? 0));
  return dated(Number(year ?? usYear), Number(month ?? us) - 1, Number(day ?? usDay), numbers);
}

function calendarOf(date: JavaDate): Calendar {
  return new Calendar(date.ms, defaultZone());
}

defineStatics('java.util.Date', {
  'new/0-6': (first?: unknown, ...others: unknown[]) => {
    if (first === undefined) return new JavaDate(Date.now());
    if (others.length > 0)
      return new JavaDate(dated(int(first) + 1900, others[0], others[1], others.slice(2)));
    return new JavaDate(isNumeric(first) ? millis(first) : parseDateText(toText(first)));
  },
  'parse/2-3': (pattern: unknown, text: unknown, zone?: unknown) =>
    new JavaDate(parseDate(toText(text), toText(pattern), zoneArgument(zone))),
  'from/1': (instant: Temporal) => new JavaDate(instant.epochMs),
});
defineMethods('java.util.Date', 'java.lang.Object', {
  'getTime/0': (self: JavaDate) => toLong(BigInt(self.ms)),
  'setTime/1': (self: JavaDate, ms: unknown) => {
    self.ms = millis(ms);
    return null;
  },
  'format/1-2': (self: JavaDate, pattern: unknown, zone?: unknown) =>
    formatDate(self.ms, toText(pattern), zoneArgument(zone)),
  'getDateString/0': (self: JavaDate) => formatDate(self.ms, 'M/d/yy', defaultZone()),
  'getTimeString/0': (self: JavaDate) => formatDate(self.ms, 'h:mm:ss a', defaultZone()),
  'getDateTimeString/0': (self: JavaDate) => formatDate(self.ms, 'M/d/yy, h:mm:ss a', defaultZone()),
  'plus/1': (self: JavaDate, days: unknown) => new JavaDate(shiftDays(self.ms, int(days))),
  'minus/1': (self: JavaDate, other: unknown) =>
    other instanceof JavaDate
      ? dayOf(self.ms) - dayOf(other.ms)
      : new JavaDate(shiftDays(self.ms, -int(other))),
  'next/0': (self: JavaDate) => new JavaDate(shiftDays(self.ms, 1)),
  'previous/0': (self: JavaDate) => new JavaDate(shiftDays(self.ms, -1)),
  'upto/2': (self: JavaDate, to: JavaDate, fn: unknown) => eachDay(self, to, 1, fn),
  'downto/2': (self: JavaDate, to: JavaDate, fn: unknown) => eachDay(self, to, -1, fn),
  'before/1': (self: JavaDate, other: JavaDate) => self.ms < other.ms,
  'after/1': (self: JavaDate, other: JavaDate) => self.ms > other.ms,
  'compareTo/1': (self: JavaDate, other: JavaDate) => Math.sign(self.ms - other.ms),
  'clearTime/0': (self: JavaDate) => {
    const { year, month, day } = fieldsOf(calendarOf(self).wall);
    self.ms = defaultZone().instantOf(wallOf(year, month, day));
    return self;
  },
  'toCalendar/0': calendarOf,
  'getAt/1': (self: JavaDate, field: unknown) => calendarOf(self).get(int(field)),
  'putAt/2': (self: JavaDate, field: unknown, value: unknown) => {
    const calendar = calendarOf(self);
    calendar.set(int(field), int(value));
    self.ms = calendar.ms;
    return null;
  },
  'updated/1': (self: JavaDate, values: JavaMap) => new JavaDate(withFields(calendarOf(self), values).ms),
  'copyWith/1': (self: JavaDate, values: JavaMap) => new JavaDate(withFields(calendarOf(self), values).ms),
  'set/1': (self: JavaDate, values: JavaMap) => {
    self.ms = withFields(calendarOf(self), values).ms;
    return null;
  },
  'getYear/0': (self: JavaDate) => calendarOf(self).get(FIELD.YEAR) - 1900,
  'getMonth/0': (self: JavaDate) => calendarOf(self).get(FIELD.MONTH),
  'getDate/0': (self: JavaDate) => calendarOf(self).get(FIELD.DATE),
  'getDay/0': (self: JavaDate) => calendarOf(self).get(FIELD.DAY_OF_WEEK) - 1,
  'getHours/0': (self: JavaDate) => calendarOf(self).get(FIELD.HOUR_OF_DAY),
  'getMinutes/0': (self: JavaDate) => calendarOf(self).get(FIELD.MINUTE),
  'getSeconds/0': (self: JavaDate) => calendarOf(self).get(FIELD.SECOND),
  'clone/0': (self: JavaDate) => new JavaDate(self.ms),
});

function eachDay(from: JavaDate, to: JavaDate, step: 1 | -1, fn: unknown): null {
  if ((to.ms - from.ms) * step < 0)
    throw illegalArgument(
      `The argument (${to.toText()}) must be ${step === 1 ? 'later' : 'earlier'} than ${from.toText()}`,
    );
  for (let ms = from.ms; (to.ms - ms) * step >= 0; ms = shiftDays(ms, step)) call1(fn, new JavaDate(ms));
  return null;
}

function shiftDays(ms: number, days: number): number {
  const calendar = new Calendar(ms, defaultZone());
  calendar.add(FIELD.DATE, days);
  return calendar.ms;
}

defineStatics(
  'java.util.Calendar',
  {
    'getInstance/0-2': (zone?: unknown) =>
      new Calendar(Date.now(), zone instanceof Zone ? zone : defaultZone()),
  },
  CALENDAR_NAMES,
);
defineStatics(
  'java.util.GregorianCalendar',
  {
    'new/0-6': (first?: unknown, month?: unknown, day?: unknown, ...time: unknown[]) => {
      if (first === undefined || first instanceof Zone) return new Calendar(Date.now(), zoneArgument(first));
      return new Calendar(dated(first, month, day, time), defaultZone());
    },
  },
  CALENDAR_NAMES,
);
defineMethods('java.util.Calendar', 'java.lang.Object', {
  'get/1': (self: Calendar, field: unknown) => self.get(int(field)),
  'getAt/1': (self: Calendar, field: unknown) => self.get(int(field)),
  'set/1-6': (self: Calendar, first: unknown, second?: unknown, day?: unknown, ...time: unknown[]) => {
    if (first instanceof JavaMap) self.ms = withFields(self, first).ms;
    else if (day === undefined) self.set(int(first), int(second));
    else {
      const fields = fieldsOf(self.wall);
      const [hour = fields.hour, minute = fields.minute, second_ = fields.second] = time.map(int);
      self.wall = wallOf(int(first), int(second), int(day), hour, minute, second_, fields.ms);
    }
    return null;
  },
  'putAt/2': (self: Calendar, field: unknown, value: unknown) => {
    self.set(int(field), int(value));
    return null;
  },
  'add/2': (self: Calendar, field: unknown, count: unknown) => {
    self.add(int(field), int(count));
    return null;
  },
  'roll/2': (self: Calendar, field: unknown, by: unknown) => {
    self.roll(int(field), typeof by === 'boolean' ? (by ? 1 : -1) : int(by));
    return null;
  },
  'getTime/0': (self: Calendar) => new JavaDate(self.ms),
  'setTime/1': (self: Calendar, date: JavaDate) => {
    self.ms = date.ms;
    return null;
  },
  'getTimeInMillis/0': (self: Calendar) => BigInt(self.ms),
  'setTimeInMillis/1': (self: Calendar, ms: unknown) => {
    self.ms = millis(ms);
    return null;
  },
  'getTimeZone/0': (self: Calendar) => self.zone,
  'setTimeZone/1': (self: Calendar, zone: Zone) => {
    self.zone = zone;
    return null;
  },
  'getActualMaximum/1': (self: Calendar, field: unknown) => self.bound(int(field), true),
  'getActualMinimum/1': (self: Calendar, field: unknown) => self.bound(int(field), false),
  'setFirstDayOfWeek/1': (self: Calendar, day: unknown) => {
    self.firstWeekday = int(day);
    return null;
  },
  'setMinimalDaysInFirstWeek/1': (self: Calendar, days: unknown) => {
    self.leastDays = int(days);
    return null;
  },
  'setLenient/1': (self: Calendar, isLenient: unknown) => {
    self.isLenient = isLenient === true;
    return null;
  },
  'clear/0-1': (self: Calendar, field?: unknown) => {
    if (field === undefined) self.wall = 0;
    else self.set(int(field), self.bound(int(field), false));
    return null;
  },
  'clearTime/0': (self: Calendar) => {
    const { year, month, day } = fieldsOf(self.wall);
    self.wall = wallOf(year, month, day);
    return self;
  },
  'before/1': (self: Calendar, other: Calendar) => self.ms < other.ms,
  'after/1': (self: Calendar, other: Calendar) => self.ms > other.ms,
  'compareTo/1': (self: Calendar, other: Calendar) => Math.sign(self.ms - other.ms),
  'format/1': (self: Calendar, pattern: unknown) => formatDate(self.ms, toText(pattern), self.zone),
  'updated/1': withFields,
  'copyWith/1': withFields,
  'clone/0': (self: Calendar) => new Calendar(self.ms, self.zone),
});

addPlainForm(JavaDate, ({ ms }) =>
  Number.isSafeInteger(ms) && Math.abs(ms) < 2_147_483_648 ? ms : BigInt(ms),
);
addPlainForm(Calendar, ({ ms }) => BigInt(ms));
dates.make = (ms) => new JavaDate(ms);
dates.msOf = (value) => (value instanceof JavaDate || value instanceof Calendar ? value.ms : undefined);
