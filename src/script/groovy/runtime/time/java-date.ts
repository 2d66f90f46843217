import { toLong, toNumber } from '../arithmetic.ts';
import { dateFormats } from '../format-date-port.ts';
import { addPlainForm } from '../host-values.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { JavaMap } from '../java-map.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import '../methods/object-methods.ts';
import { toText } from '../text.ts';
import { illegalArgument } from '../throwable.ts';
import { isNumeric, JavaObject } from '../values.ts';
import { addMonths, dayOfYear, daysIn, fieldsOf, wallOf, weekOf } from './date-fields.ts';
import { formatDate, parseDate, zoneName } from './date-pattern.ts';
import { int, millis } from './time-arguments.ts';
import { DAY, defaultZone, setDefaultZone, Zone, zoneOf } from './zone.ts';

export class JavaDate extends JavaObject {
  readonly type: JavaClass = classNamed('java.util.Date');
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

/** Fields of java.util.Calendar, by their numbers. */
const FIELD = {
  ERA: 0,
  YEAR: 1,
  MONTH: 2,
  WEEK_OF_YEAR: 3,
  WEEK_OF_MONTH: 4,
  DATE: 5,
  DAY_OF_MONTH: 5,
  DAY_OF_YEAR: 6,
  DAY_OF_WEEK: 7,
  DAY_OF_WEEK_IN_MONTH: 8,
  AM_PM: 9,
  HOUR: 10,
  HOUR_OF_DAY: 11,
  MINUTE: 12,
  SECOND: 13,
  MILLISECOND: 14,
  ZONE_OFFSET: 15,
  DST_OFFSET: 16,
} as const;
const CALENDAR_NAMES = {
  ...FIELD,
  ...Object.fromEntries(
    'JANUARY FEBRUARY MARCH APRIL MAY JUNE JULY AUGUST SEPTEMBER OCTOBER NOVEMBER DECEMBER'
      .split(' ')
      .map((name, at) => [name, at]),
  ),
  ...Object.fromEntries(
    'SUNDAY MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY'.split(' ').map((name, at) => [name, at + 1]),
  ),
  AM: 0,
  PM: 1,
};

export class Calendar extends JavaObject {
  readonly type: JavaClass = classNamed('java.util.GregorianCalendar');
  ms: number;
  zone: Zone;
  firstWeekday = 1;
  leastDays = 1;
  isLenient = true;

  constructor(ms: number, zone: Zone) {
    super();
    this.ms = ms;
    this.zone = zone;
  }

  get wall(): number {
    return this.ms + this.zone.offsetAt(this.ms);
  }

  set wall(wall: number) {
    this.ms = this.zone.instantOf(wall);
  }

  override key(): unknown {
    return `${this.ms} ${this.zone.id}`;
  }

  override compareTo(other: unknown): number | undefined {
    return other instanceof Calendar ? Math.sign(this.ms - other.ms) : undefined;
  }

  get(field: number): number {
    const { wall } = this;
    const fields = fieldsOf(wall);
    switch (field) {
      case FIELD.ERA:
        return 1;
      case FIELD.YEAR:
        return fields.year;
      case FIELD.MONTH:
        return fields.month;
      case FIELD.WEEK_OF_YEAR:
        return weekOf(wall, this.firstWeekday, this.leastDays).week;
      case FIELD.WEEK_OF_MONTH:
        return Math.floor((fields.day + fieldsOf(wallOf(fields.year, fields.month, 1)).weekday - 2) / 7) + 1;
      case FIELD.DATE:
        return fields.day;
      case FIELD.DAY_OF_YEAR:
        return dayOfYear(wall);
      case FIELD.DAY_OF_WEEK:
        return fields.weekday;
      case FIELD.DAY_OF_WEEK_IN_MONTH:
        return Math.floor((fields.day - 1) / 7) + 1;
      case FIELD.AM_PM:
        return fields.hour < 12 ? 0 : 1;
      case FIELD.HOUR:
        return fields.hour % 12;
      case FIELD.HOUR_OF_DAY:
        return fields.hour;
      case FIELD.MINUTE:
        return fields.minute;
      case FIELD.SECOND:
        return fields.second;
      case FIELD.MILLISECOND:
        return fields.ms;
      case FIELD.ZONE_OFFSET:
        return this.zone.offsetAt(this.ms);
      default:
        throw illegalArgument(`Unknown field ${field}`);
    }
  }

  set(field: number, value: number): void {
    const fields = fieldsOf(this.wall);
    const { year, month, day, hour, minute, second, ms } = fields;
    switch (field) {
      case FIELD.YEAR:
        this.wall = wallOf(value, month, day, hour, minute, second, ms);
        break;
      case FIELD.MONTH:
        this.wall = wallOf(year, value, day, hour, minute, second, ms);
        break;
      case FIELD.DATE:
        this.wall = wallOf(year, month, value, hour, minute, second, ms);
        break;
      case FIELD.HOUR:
        this.wall = wallOf(year, month, day, (hour >= 12 ? 12 : 0) + value, minute, second, ms);
        break;
      case FIELD.AM_PM:
        this.wall = wallOf(year, month, day, (hour % 12) + value * 12, minute, second, ms);
        break;
      default:
        this.add(field, value - this.get(field));
    }
  }

  add(field: number, count: number): void {
    const { wall } = this;
    switch (field) {
      case FIELD.YEAR:
        this.wall = addMonths(wall, count * 12);
        break;
      case FIELD.MONTH:
        this.wall = addMonths(wall, count);
        break;
      case FIELD.WEEK_OF_YEAR:
      case FIELD.WEEK_OF_MONTH:
      case FIELD.DAY_OF_WEEK_IN_MONTH:
        this.wall = wall + count * 7 * DAY;
        break;
      case FIELD.DATE:
      case FIELD.DAY_OF_YEAR:
      case FIELD.DAY_OF_WEEK:
        this.wall = wall + count * DAY;
        break;
      case FIELD.AM_PM:
        this.wall = wall + (count * DAY) / 2;
        break;
      default: {
        const unit = {
          [FIELD.HOUR]: 3_600_000,
          [FIELD.HOUR_OF_DAY]: 3_600_000,
          [FIELD.MINUTE]: 60_000,
          [FIELD.SECOND]: 1000,
          [FIELD.MILLISECOND]: 1,
        }[field];
        if (unit === undefined) throw illegalArgument(`Unknown field ${field}`);
        this.ms += count * unit;
      }
    }
  }

  bound(field: number, isUpper: boolean): number {
    if (field === FIELD.DATE) return isUpper ? daysIn(this.get(FIELD.YEAR), this.get(FIELD.MONTH)) : 1;
    if (field === FIELD.DAY_OF_YEAR) return isUpper ? dayOfYear(wallOf(this.get(FIELD.YEAR), 11, 31)) : 1;
    const bounds: Readonly<Record<number, readonly [number, number]>> = {
      2: [0, 11],
      7: [1, 7],
      10: [0, 11],
      11: [0, 23],
      12: [0, 59],
      13: [0, 59],
      14: [0, 999],
    };
    const found = bounds[field];
    if (found === undefined) throw illegalArgument(`Unknown field ${field}`);
    return found[isUpper ? 1 : 0];
  }
}

export function zoneArgument(value: unknown): Zone {
  if (value === undefined || value === null) return defaultZone();
  if (value instanceof Zone) return value;
  return zoneOf(toText(value));
}

function dated(year: unknown, month: unknown, day: unknown, time: readonly unknown[]): number {
  const [hour = 0, minute = 0, second = 0] = time.map(int);
  return defaultZone().instantOf(wallOf(int(year), int(month), int(day), hour, minute, second));
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

function calendarOf(date: JavaDate): Calendar {
  return new Calendar(date.ms, defaultZone());
}

defineStatics('java.util.Date', {
  'new/0-6': (first?: unknown, ...others: unknown[]) => {
    if (first === undefined) return new JavaDate(Date.now());
    if (others.length > 0)
      return new JavaDate(dated(int(first) + 1900, others[0], others[1], others.slice(2)));
    return new JavaDate(
      isNumeric(first)
        ? millis(first)
        : parseDate(toText(first), 'EEE MMM dd HH:mm:ss zzz yyyy', defaultZone()),
    );
  },
  'parse/2-3': (pattern: unknown, text: unknown, zone?: unknown) =>
    new JavaDate(parseDate(toText(text), toText(pattern), zoneArgument(zone))),
  'from/1': (instant: unknown) => new JavaDate((instant as { epochMs: number }).epochMs),
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
      ? Math.trunc((self.ms - other.ms) / DAY)
      : new JavaDate(shiftDays(self.ms, -int(other))),
  'next/0': (self: JavaDate) => new JavaDate(shiftDays(self.ms, 1)),
  'previous/0': (self: JavaDate) => new JavaDate(shiftDays(self.ms, -1)),
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

class SimpleDateFormat extends JavaObject {
  readonly type: JavaClass = classNamed('java.text.SimpleDateFormat');
  pattern: string;
  zone: Zone = defaultZone();
  isLenient = true;

  constructor(pattern: string) {
    super();
    this.pattern = pattern;
  }
}

defineStatics('java.text.SimpleDateFormat', {
  'new/0-2': (pattern: unknown = 'M/d/yy, h:mm a') => new SimpleDateFormat(toText(pattern)),
});
defineMethods('java.text.SimpleDateFormat', 'java.lang.Object', {
  'format/1': (self: SimpleDateFormat, date: unknown) => {
    if (date instanceof JavaDate) return formatDate(date.ms, self.pattern, self.zone);
    if (!isNumeric(date)) throw illegalArgument('Cannot format given Object as a Date');
    return formatDate(toNumber(date), self.pattern, self.zone);
  },
  'parse/1': (self: SimpleDateFormat, text: unknown) =>
    new JavaDate(parseDate(toText(text), self.pattern, self.zone, self.isLenient)),
  'setTimeZone/1': (self: SimpleDateFormat, zone: Zone) => {
    self.zone = zone;
    return null;
  },
  'getTimeZone/0': (self: SimpleDateFormat) => self.zone,
  'setLenient/1': (self: SimpleDateFormat, isLenient: unknown) => {
    self.isLenient = isLenient === true;
    return null;
  },
  'isLenient/0': (self: SimpleDateFormat) => self.isLenient,
  'toPattern/0': (self: SimpleDateFormat) => self.pattern,
  'applyPattern/1': (self: SimpleDateFormat, pattern: unknown) => {
    self.pattern = toText(pattern);
    return null;
  },
});

defineStatics('java.util.TimeZone', {
  'getTimeZone/1': (id: unknown) => (id instanceof Zone ? id.as('java.util.TimeZone') : zoneOf(toText(id))),
  'getDefault/0': defaultZone,
  'setDefault/1': (zone: Zone) => {
    setDefaultZone(zone);
    return null;
  },
});
defineMethods('java.util.TimeZone', 'java.lang.Object', {
  'getID/0': (self: Zone) => self.id,
  'getDisplayName/0-3': (self: Zone) => self.id,
  'getOffset/1': (self: Zone, ms: unknown) => self.offsetAt(millis(ms)),
  'getRawOffset/0': (self: Zone) =>
    Math.min(self.offsetAt(Date.UTC(2024, 0, 1)), self.offsetAt(Date.UTC(2024, 6, 1))),
  'inDaylightTime/1': (self: Zone, date: JavaDate) =>
    self.offsetAt(date.ms) !==
    Math.min(self.offsetAt(Date.UTC(2024, 0, 1)), self.offsetAt(Date.UTC(2024, 6, 1))),
  'toZoneId/0': (self: Zone) => self.as('java.time.ZoneRegion'),
});

/** `%tF` and the like in `String.format`. */
const FORMATS: Readonly<Record<string, string>> = {
  Y: 'yyyy',
  m: 'MM',
  d: 'dd',
  e: 'd',
  H: 'HH',
  I: 'hh',
  M: 'mm',
  S: 'ss',
  L: 'SSS',
  y: 'yy',
  B: 'MMMM',
  b: 'MMM',
  A: 'EEEE',
  a: 'EEE',
  p: 'a',
  Z: 'zzz',
  z: 'Z',
  F: 'yyyy-MM-dd',
  T: 'HH:mm:ss',
  R: 'HH:mm',
  D: 'MM/dd/yy',
  c: 'EEE MMM dd HH:mm:ss zzz yyyy',
  j: 'DDD',
};
dateFormats.format = (value, kind) => {
  const ms =
    value instanceof JavaDate || value instanceof Calendar
      ? value.ms
      : isNumeric(value)
        ? toNumber(value)
        : undefined;
  const pattern = FORMATS[kind];
  return ms === undefined || pattern === undefined ? undefined : formatDate(ms, pattern, defaultZone());
};

addPlainForm(JavaDate, ({ ms }) =>
  Number.isSafeInteger(ms) && Math.abs(ms) < 2_147_483_648 ? ms : BigInt(ms),
);
addPlainForm(Calendar, ({ ms }) => BigInt(ms));
