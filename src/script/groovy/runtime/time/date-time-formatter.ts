import { classNamed, type JavaClass } from '../java-class.ts';
import { exception, type Throwable } from '../throwable.ts';
import { JavaObject } from '../values.ts';
import { dayOfYear, MONTHS, WEEKDAYS } from './date-fields.ts';
import { splitPattern } from './date-pattern.ts';
import {
  dateOf,
  dateText,
  dateTimeError,
  momentIn,
  offsetId,
  Temporal,
  type TemporalKind,
  timeOf,
  timeText,
  zonedAt,
} from './temporal.ts';
import { DAY, findZone, offsetText, parseOffset, type Zone } from './zone.ts';

const DATE_TIME_FORMATTER_CLASS = classNamed('java.time.format.DateTimeFormatter');

const LETTERS = 'GuyMLdDEeaHhKkmsSnAzVXxZQqw';
const ISO =
  /^([+-]?\d{4,9}-\d{2}-\d{2})?(?:(?:^|T)(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?))?(Z|[+-]\d{2}(?::?\d{2})?(?::?\d{2})?)?(?:\[([^\]]+)\])?$/;

/** Either a pattern of letters, or one of the ISO forms by its name. */
export class DateTimeFormatter extends JavaObject {
  readonly type: JavaClass = DATE_TIME_FORMATTER_CLASS;
  readonly pattern: string;
  readonly isIso: boolean;
  readonly zone: Zone | undefined;

  constructor(pattern: string, isIso = false, zone?: Zone) {
    super();
    this.pattern = pattern;
    this.isIso = isIso;
    this.zone = zone;
    if (!isIso) splitPattern(pattern, LETTERS);
  }

  format(given: Temporal): string {
    const value = this.#inZone(given);
    if (this.isIso) return formatIso(value, this.pattern);
    return splitPattern(this.pattern.replace(/[[\]]/g, ''), LETTERS)
      .map(({ letter, width, text }) => (letter === '' ? text : formatLetter(value, letter, width)))
      .join('');
  }

  #inZone(value: Temporal): Temporal {
    const isMoment = value.kind === 'Instant' || value.hasOffset;
    if (this.zone === undefined || !isMoment) return value;
    const { epochMs } = value;
    return momentIn(
      'ZonedDateTime',
      epochMs,
      value.nanos % 1_000_000,
      this.zone.offsetAt(epochMs),
      this.zone,
    );
  }

  parse(text: string, kind: TemporalKind): Temporal {
    return this.isIso
      ? parseIso(text, kind, this.pattern === 'BASIC_ISO_DATE')
      : parsePattern(text, this.pattern, kind, this.zone);
  }
}

function formatIso(value: Temporal, name: string): string {
  switch (name) {
    case 'BASIC_ISO_DATE':
      return dateText(value.day).replaceAll('-', '');
    case 'RFC_1123_DATE_TIME': {
      const offset = value.offset === 0 ? 'GMT' : offsetText(value.offset, false);
      return `${new DateTimeFormatter('EEE, d MMM yyyy HH:mm:ss').format(value)} ${offset}`;
    }
    case 'ISO_DATE':
      return dateText(value.day) + (value.hasOffset ? offsetId(value.offset) : '');
    case 'ISO_LOCAL_DATE':
      return dateText(value.day);
    case 'ISO_TIME':
    case 'ISO_LOCAL_TIME':
      return timeText(value.nanos, true);
    case 'ISO_LOCAL_DATE_TIME':
      return `${dateText(value.day)}T${timeText(value.nanos, true)}`;
    case 'ISO_INSTANT':
      return momentIn('Instant', value.epochMs, value.nanos % 1_000_000).toText();
    case 'ISO_OFFSET_DATE_TIME':
      return `${dateText(value.day)}T${timeText(value.nanos, true)}${offsetId(value.offset)}`;
    default: {
      const zone =
        value.kind === 'ZonedDateTime' && value.zone !== undefined && value.zone.id !== offsetId(value.offset)
          ? `[${value.zone.id}]`
          : '';
      return `${dateText(value.day)}T${timeText(value.nanos, true)}${value.hasOffset ? offsetId(value.offset) : ''}${zone}`;
    }
  }
}

function formatLetter(value: Temporal, letter: string, width: number): string {
  const pad = (number: number) => String(number).padStart(width, '0');
  if ('GuyMLdDEeQqw'.includes(letter) && !value.hasDate) throw unsupportedField(letter);
  if ('aHhKkmsSnA'.includes(letter) && !value.hasTime) throw unsupportedField(letter);
  const { year, month, day, weekday } = value.fields;
  const seconds = Math.floor(value.nanos / 1_000_000_000);
  const hour = Math.floor(seconds / 3600);
  switch (letter) {
    case 'G':
      return 'AD';
    case 'u':
    case 'y':
      return width === 2 ? String(year % 100).padStart(2, '0') : pad(year);
    case 'M':
    case 'L':
      if (width < 3) return pad(month + 1);
      return width === 3 ? MONTHS[month]!.slice(0, 3) : MONTHS[month]!;
    case 'd':
      return pad(day);
    case 'D':
      return pad(dayOfYear(value.day * DAY));
    case 'E':
      return width > 3 ? WEEKDAYS[weekday - 1]! : WEEKDAYS[weekday - 1]!.slice(0, 3);
    case 'e':
      return pad(weekday);
    case 'Q':
    case 'q':
      return pad(Math.floor(month / 3) + 1);
    case 'a':
      return hour < 12 ? 'AM' : 'PM';
    case 'H':
      return pad(hour);
    case 'k':
      return pad(hour === 0 ? 24 : hour);
    case 'K':
      return pad(hour % 12);
    case 'h':
      return pad(hour % 12 === 0 ? 12 : hour % 12);
    case 'm':
      return pad(Math.floor(seconds / 60) % 60);
    case 's':
      return pad(seconds % 60);
    case 'S':
      return String(value.nanos % 1_000_000_000)
        .padStart(9, '0')
        .slice(0, width);
    case 'n':
      return pad(value.nanos % 1_000_000_000);
    default:
      return formatOffset(value, letter, width);
  }
}

function formatOffset(value: Temporal, letter: string, width: number): string {
  if (!value.hasOffset) throw dateTimeError(`Unable to extract ZoneId from temporal ${value.toText()}`);
  switch (letter) {
    case 'V':
    case 'z':
      return value.zone?.id ?? offsetId(value.offset);
    case 'Z':
      return width === 5 ? offsetId(value.offset) : offsetText(value.offset, false);
    default:
      if (letter === 'X' && value.offset === 0) return 'Z';
      if (width === 1) return offsetText(value.offset, false).replace(/00$/, '');
      return offsetText(value.offset, width === 3 || width === 5);
  }
}

function unsupportedField(letter: string): Throwable {
  const names: Readonly<Record<string, string>> = {
    H: 'HourOfDay',
    h: 'ClockHourOfAmPm',
    m: 'MinuteOfHour',
    s: 'SecondOfMinute',
    y: 'YearOfEra',
    M: 'MonthOfYear',
    d: 'DayOfMonth',
  };
  return exception(
    'java.time.temporal.UnsupportedTemporalTypeException',
    `Unsupported field: ${names[letter] ?? letter}`,
  );
}

export function parseError(text: string, at = 0): Throwable {
  return exception(
    'java.time.format.DateTimeParseException',
    `Text '${text}' could not be parsed at index ${at}`,
  );
}

/** The text forms that `parse` takes without a formatter. */
export function parseIso(text: string, kind: TemporalKind, isBasic = false): Temporal {
  const basic = isBasic ? text.replace(/^(\d{4})(\d{2})(\d{2})/, '$1-$2-$3') : text;
  const match = ISO.exec(basic);
  const [, date, time, offset, zone] = match ?? [];
  const needsDate = kind !== 'LocalTime';
  const needsTime = kind !== 'LocalDate';
  const needsOffset = kind === 'OffsetDateTime' || kind === 'ZonedDateTime' || kind === 'Instant';
  const isWrong =
    match === null ||
    needsDate !== (date !== undefined) ||
    needsTime !== (time !== undefined) ||
    needsOffset !== (offset !== undefined) ||
    (zone !== undefined && kind !== 'ZonedDateTime');
  if (isWrong)
    throw parseError(text, date !== undefined && time === undefined && needsTime ? text.length : 0);
  return assemble(
    kind,
    date === undefined ? 0 : parseDay(date, text),
    time === undefined ? 0 : parseTime(time),
    offset,
    zone,
    text,
  );
}

function parseDay(date: string, text: string): number {
  const [, year, month, day] = /^([+-]?\d+)-(\d{2})-(\d{2})$/.exec(date)!;
  try {
    return dateOf(Number(year), Number(month), Number(day));
  } catch (error) {
    throw exception(
      'java.time.format.DateTimeParseException',
      `Text '${text}' could not be parsed: ${(error as Error).message}`,
    );
  }
}

function parseTime(time: string): number {
  const [hour = '0', minute = '0', second = '0'] = time.split(':');
  const [whole = '0', fraction = ''] = second.split('.');
  return timeOf(Number(hour), Number(minute), Number(whole), Number(fraction.padEnd(9, '0')));
}

function assemble(
  kind: TemporalKind,
  day: number,
  nanos: number,
  offset: string | undefined,
  zoneId: string | undefined,
  text: string,
): Temporal {
  const ms = offset === undefined ? 0 : parseOffset(offset);
  if (ms === undefined) throw parseError(text);
  if (kind === 'Instant')
    return momentIn('Instant', day * DAY + Math.floor(nanos / 1_000_000) - ms, nanos % 1_000_000);
  if (kind !== 'ZonedDateTime') return new Temporal(kind, day, nanos, ms);
  const zone = zoneId === undefined ? findZone(offset === 'Z' ? 'Z' : offset!) : findZone(zoneId);
  if (zone === undefined) throw parseError(text);
  const wall = day * DAY + Math.floor(nanos / 1_000_000);
  if (zoneId === undefined) return momentIn(kind, wall - ms, nanos % 1_000_000, ms, zone);
  return zonedAt(wall, nanos % 1_000_000, zone);
}

/** Reads what a pattern of letters says. */
function parsePattern(text: string, pattern: string, kind: TemporalKind, zone: Zone | undefined): Temporal {
  const found: Record<string, number> = {};
  let offset: string | undefined;
  let zoneId = zone?.id;
  let at = 0;
  const parts = splitPattern(pattern.replace(/[[\]]/g, ''), LETTERS);
  for (const [order, { letter, width, text: literal }] of parts.entries()) {
    const rest = text.slice(at);
    let taken: string | undefined;
    if (letter === '') taken = rest.startsWith(literal) ? literal : undefined;
    else if (letter === 'X' || letter === 'x' || letter === 'Z') {
      taken = /^(?:Z|[+-]\d{2}(?::?\d{2})?)/.exec(rest)?.[0];
      offset = taken;
    } else if (letter === 'V' || letter === 'z') {
      taken = /^[A-Za-z][\w/+-]*/.exec(rest)?.[0];
      zoneId = taken;
    } else if (letter === 'a' || letter === 'E' || ((letter === 'M' || letter === 'L') && width > 2)) {
      taken = /^[A-Za-z]+/.exec(rest)?.[0];
      if (taken !== undefined) readName(letter, width, taken, found);
    } else {
      taken = numberPattern(letter, width, /[a-zA-Z]/.test(parts[order + 1]?.letter ?? '')).exec(rest)?.[0];
      if (taken !== undefined)
        found[letter === 'u' || letter === 'L' ? (letter === 'u' ? 'y' : 'M') : letter] = numberIn(
          letter,
          width,
          taken,
        );
    }
    if (taken === undefined || found['bad'] !== undefined) throw parseError(text, at);
    at += taken.length;
  }
  if (at < text.length)
    throw exception(
      'java.time.format.DateTimeParseException',
      `Text '${text}' could not be parsed, unparsed text found at index ${at}`,
    );
  return fromFields(found, kind, offset, zoneId, text);
}

function numberPattern(letter: string, width: number, isTight: boolean): RegExp {
  if (letter === 'S') return new RegExp(`^\\d{${width}}`);
  if ((letter === 'y' || letter === 'u') && width === 4 && !isTight) return /^[+-]?\d{4,}/;
  return width === 1 && !isTight ? /^\d+/ : new RegExp(`^\\d{${width}}`);
}

function numberIn(letter: string, width: number, digits: string): number {
  if (letter === 'S') return Number(digits.padEnd(9, '0'));
  const value = Number(digits);
  return (letter === 'y' || letter === 'u') && width === 2 ? 2000 + value : value;
}

function readName(letter: string, width: number, name: string, found: Record<string, number>): void {
  if (letter === 'E') return;
  if (letter === 'a') {
    found['a'] = /^pm$/i.test(name) ? 12 : 0;
    if (!/^[ap]m$/i.test(name)) found['bad'] = 1;
    return;
  }
  const month = MONTHS.findIndex((each) => (width === 3 ? each.slice(0, 3) : each) === name);
  if (month < 0) found['bad'] = 1;
  found['M'] = month + 1;
}

function fromFields(
  found: Record<string, number>,
  kind: TemporalKind,
  offset: string | undefined,
  zoneId: string | undefined,
  text: string,
): Temporal {
  const hasDate = found['y'] !== undefined && (found['M'] !== undefined || found['D'] !== undefined);
  const hour =
    found['H'] ??
    (found['k'] === 24 ? 0 : found['k']) ??
    ((found['h'] ?? found['K'] ?? -1) >= 0
      ? ((found['h'] ?? found['K'])! % 12) + (found['a'] ?? 0)
      : undefined);
  const missing = (kind !== 'LocalTime' && !hasDate) || (kind !== 'LocalDate' && hour === undefined);
  if (missing) {
    throw exception(
      'java.time.format.DateTimeParseException',
      `Text '${text}' could not be parsed: Unable to obtain ${kind} from TemporalAccessor`,
    );
  }
  let day = 0;
  try {
    if (kind !== 'LocalTime')
      day =
        found['D'] === undefined
          ? dateOf(found['y']!, found['M']!, found['d'] ?? 1)
          : dateOf(found['y']!, 1, 1) + found['D'] - 1;
    const nanos =
      kind === 'LocalDate'
        ? 0
        : timeOf(hour!, found['m'] ?? 0, found['s'] ?? 0, found['S'] ?? found['n'] ?? 0);
    return assemble(
      kind,
      day,
      nanos,
      offset ?? (zoneId === undefined ? undefined : 'Z'),
      offset === undefined ? zoneId : undefined,
      text,
    );
  } catch (error) {
    throw exception(
      'java.time.format.DateTimeParseException',
      `Text '${text}' could not be parsed: ${(error as Error).message}`,
    );
  }
}
