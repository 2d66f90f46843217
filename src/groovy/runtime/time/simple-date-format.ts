import { toNumber } from '../arithmetic.ts';
import { dateFormats } from '../format-date-port.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import '../methods/object-methods.ts';
import { millis } from '../arguments.ts';
import { toText } from '../text.ts';
import { illegalArgument } from '../throwable.ts';
import { isNumeric, JavaObject } from '../values.ts';
import { Calendar } from './calendar.ts';
import { formatDate, parseDate } from './date-pattern.ts';
import { JavaDate } from './java-date.ts';
import { Temporal } from './temporal.ts';
import { defaultZone, setDefaultZone, UTC, Zone, zoneOf } from './zone.ts';

const SIMPLE_DATE_FORMAT_CLASS = classNamed('java.text.SimpleDateFormat');

export class SimpleDateFormat extends JavaObject {
  readonly type: JavaClass = SIMPLE_DATE_FORMAT_CLASS;
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
  const pattern = FORMATS[kind];
  if (pattern === undefined) return undefined;
  if (value instanceof JavaDate || value instanceof Calendar)
    return formatDate(value.ms, pattern, defaultZone());
  if (isNumeric(value)) return formatDate(toNumber(value), pattern, defaultZone());
  return value instanceof Temporal ? formatDate(value.wall, pattern, UTC) : undefined;
};
