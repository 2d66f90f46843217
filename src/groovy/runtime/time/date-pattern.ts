import { exception, illegalArgument, type Throwable } from '../throwable.ts';
import { dayOfYear, fieldsOf, MONTHS, monthName, wallOf, weekdayName, weekOf } from './date-fields.ts';
import { offsetText, parseOffset, UTC, type Zone, zoneOf } from './zone.ts';

/** A part of a date pattern: a letter and how often it stands there, or a text. */
export interface PatternPart {
  readonly letter: string;
  readonly width: number;
  readonly text: string;
}

/** What a `DateTimeFormatter` takes in a pattern. */
export const DATE_TIME_LETTERS = 'GuyMLdDEeaHhKkmsSnAzVXxZQqw';

export function splitPattern(pattern: string, letters: string): PatternPart[] {
  const parts: PatternPart[] = [];
  for (let at = 0; at < pattern.length; ) {
    const char = pattern.charAt(at);
    if (char === "'") {
      const end = closingQuote(pattern, at + 1);
      const text = pattern.slice(at + 1, end).replaceAll("''", "'");
      parts.push({ letter: '', width: 0, text: end === at + 1 ? "'" : text });
      at = end + 1;
    } else if (/[a-zA-Z]/.test(char)) {
      let end = at;
      while (pattern[end] === char) end++;
      if (!letters.includes(char)) throw illegalArgument(`Illegal pattern character '${char}'`);
      parts.push({ letter: char, width: end - at, text: '' });
      at = end;
    } else {
      parts.push({ letter: '', width: 0, text: char });
      at++;
    }
  }
  return parts;
}

function closingQuote(pattern: string, from: number): number {
  for (let at = from; at < pattern.length; at++) {
    if (pattern[at] !== "'") continue;
    if (pattern[at + 1] !== "'" || at === from) return at;
    at++;
  }
  throw illegalArgument('Unterminated quote');
}

const LETTERS = 'GyYMLwWDdFEuaHkKhmsSzZX';

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

/** As `java.text.SimpleDateFormat`, in English. */
export function formatDate(ms: number, pattern: string, zone: Zone): string {
  const offset = zone.offsetAt(ms);
  const wall = ms + offset;
  return splitPattern(pattern, LETTERS)
    .map((part) => (part.letter === '' ? part.text : formatPart(part, wall, offset, zone)))
    .join('');
}

function formatPart({ letter, width }: PatternPart, wall: number, offset: number, zone: Zone): string {
  const { year, month, day, hour, minute, second, ms, weekday } = fieldsOf(wall);
  switch (letter) {
    case 'G':
      return year > 0 ? 'AD' : 'BC';
    case 'y':
      return width === 2 ? pad(year % 100, 2) : pad(year, width);
    case 'Y':
      return pad(weekOf(wall, 1, 1).year, width);
    case 'M':
    case 'L':
      if (width < 3) return pad(month + 1, width);
      return monthName(month, width === 3);
    case 'w':
      return pad(weekOf(wall, 1, 1).week, width);
    case 'W':
      return pad(Math.floor((day + fieldsOf(wallOf(year, month, 1)).weekday - 2) / 7) + 1, width);
    case 'D':
      return pad(dayOfYear(wall), width);
    case 'd':
      return pad(day, width);
    case 'F':
      return pad(Math.floor((day - 1) / 7) + 1, width);
    case 'E':
      return weekdayName(weekday, width <= 3);
    case 'u':
      return pad(weekday === 1 ? 7 : weekday - 1, width);
    case 'a':
      return hour < 12 ? 'AM' : 'PM';
    case 'H':
      return pad(hour, width);
    case 'k':
      return pad(hour === 0 ? 24 : hour, width);
    case 'K':
      return pad(hour % 12, width);
    case 'h':
      return pad(hour % 12 === 0 ? 12 : hour % 12, width);
    case 'm':
      return pad(minute, width);
    case 's':
      return pad(second, width);
    case 'S':
      return pad(ms, width);
    case 'z':
      return zoneName(zone, offset);
    case 'Z':
      return offsetText(offset, false);
    default:
      if (offset === 0) return 'Z';
      return width === 1 ? offsetText(offset, false).slice(0, 3) : offsetText(offset, width === 3);
  }
}

/** Zones other than UTC and GMT have no short names here; their offset says it. */
export function zoneName(zone: Zone, offset: number): string {
  if (zone.isFixed && offset === 0) return zone.id.includes('GMT') ? 'GMT' : 'UTC';
  return `GMT${offsetText(offset, true)}`;
}

interface Parsed {
  year: number;
  month: number;
  day: number;
  hour: number;
  isHalfDay: boolean;
  isAfternoon: boolean;
  minute: number;
  second: number;
  ms: number;
  dayOfYear?: number;
  offset?: number;
  zone?: Zone;
}

/** The instant that a text means. A lenient pattern takes days and hours that do not exist for later ones. */
export function parseDate(text: string, pattern: string, zone: Zone, isLenient = true): number {
  const parts = splitPattern(pattern, LETTERS);
  const result: Parsed = {
    year: 1970,
    month: 0,
    day: 1,
    hour: 0,
    isHalfDay: false,
    isAfternoon: false,
    minute: 0,
    second: 0,
    ms: 0,
  };
  let at = 0;
  for (const [order, part] of parts.entries()) {
    if (part.letter === '') {
      if (!text.startsWith(part.text, at)) throw unparseable(text, at);
      at += part.text.length;
      continue;
    }
    while (text[at] === ' ') at++;
    const next = parts[order + 1];
    const isTight = next !== undefined && /^[yMdHhkKmsSD]$/.test(next.letter) && next.width > 0;
    at = readPart(part, text, at, isTight, result);
  }
  return toInstant(result, zone, isLenient, text);
}

function readPart(
  { letter, width }: PatternPart,
  text: string,
  at: number,
  isTight: boolean,
  result: Parsed,
): number {
  const rest = text.slice(at);
  const name = /^[A-Za-z]+/.exec(rest)?.[0] ?? '';
  if ((letter === 'M' || letter === 'L') && width >= 3) {
    const month = MONTHS.findIndex((each) =>
      [each, each.slice(0, 3)].some((form) => form.toLowerCase() === name.toLowerCase()),
    );
    if (month < 0) throw unparseable(text, at);
    result.month = month;
    return at + name.length;
  }
  switch (letter) {
    case 'E':
    case 'G':
      if (name === '') throw unparseable(text, at);
      return at + name.length;
    case 'a':
      if (!/^[ap]m/i.test(rest)) throw unparseable(text, at);
      result.isAfternoon = /^p/i.test(rest);
      return at + 2;
    case 'z':
    case 'Z':
    case 'X':
      return readZone(text, at, result);
  }
  const digits = new RegExp(isTight ? `^-?\\d{1,${width}}` : '^-?\\d+').exec(rest)?.[0];
  if (digits === undefined) throw unparseable(text, at);
  setField(letter, Number(digits), digits.length, width, result);
  return at + digits.length;
}

function readZone(text: string, at: number, result: Parsed): number {
  const rest = text.slice(at);
  const offset = /^(?:(?:GMT|UTC|UT)?[+-]\d{1,2}(?::?\d{2})?|Z)/.exec(rest)?.[0];
  if (offset !== undefined) {
    result.offset = parseOffset(offset)!;
    return at + offset.length;
  }
  const name = /^[A-Za-z][A-Za-z_/]*/.exec(rest)?.[0];
  if (name === undefined) throw unparseable(text, at);
  result.zone = /^(?:GMT|UTC|UT)$/.test(name) ? UTC : zoneOf(name);
  return at + name.length;
}

function setField(letter: string, value: number, length: number, width: number, result: Parsed): void {
  switch (letter) {
    case 'y':
    case 'Y':
      result.year = width <= 2 && length <= 2 ? centuryOf(value) : value;
      break;
    case 'M':
    case 'L':
      result.month = value - 1;
      break;
    case 'd':
      result.day = value;
      break;
    case 'D':
      result.dayOfYear = value;
      break;
    case 'H':
      result.hour = value;
      break;
    case 'k':
      result.hour = value === 24 ? 0 : value;
      break;
    case 'h':
    case 'K':
      result.hour = value % 12;
      result.isHalfDay = true;
      break;
    case 'm':
      result.minute = value;
      break;
    case 's':
      result.second = value;
      break;
    case 'S':
      result.ms = value;
      break;
  }
}

/** Two digits mean a year between 80 years ago and 20 years ahead. */
function centuryOf(value: number): number {
  const first = new Date().getUTCFullYear() - 80;
  const year = first - (first % 100) + value;
  return year < first ? year + 100 : year;
}

function toInstant(parsed: Parsed, zone: Zone, isLenient: boolean, text: string): number {
  const { year, month, minute, second, ms } = parsed;
  const hour = parsed.hour + (parsed.isHalfDay && parsed.isAfternoon ? 12 : 0);
  const [realMonth, day] = parsed.dayOfYear === undefined ? [month, parsed.day] : [0, parsed.dayOfYear];
  const wall = wallOf(year, realMonth, day, hour, minute, second, ms);
  if (!isLenient) {
    const real = fieldsOf(wall);
    if (real.month !== realMonth || real.day !== day || real.hour !== hour || real.minute !== minute)
      throw unparseable(text, 0);
  }
  if (parsed.offset !== undefined) return wall - parsed.offset;
  return (parsed.zone ?? zone).instantOf(wall);
}

export function unparseable(text: string, at: number): Throwable {
  const failure = exception('java.text.ParseException', `Unparseable date: "${text}"`);
  failure.fields['errorOffset'] = at;
  return failure;
}
