import { exception, type Throwable } from '../throwable.ts';
import { MONTHS } from './date-fields.ts';
import { DATE_TIME_LETTERS, splitPattern } from './date-pattern.ts';
import { dateOf, daysInMonth, momentIn, Temporal, type TemporalKind, timeOf, zonedAt } from './temporal.ts';
import { DAY, findZone, parseOffset, type Zone } from './zone.ts';

const ISO =
  /^([+-]?\d{4,9}-\d{2}-\d{2})?(?:(?:^|T)(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?))?(Z|[+-]\d{2}(?::?\d{2})?(?::?\d{2})?)?(?:\[([^\]]+)\])?$/;

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
  const [, year, month, day] = /^([+-]?\d+)-(\d{2})-(\d{2})$/.exec(date) ?? [];
  try {
    return dateOf(Number(year), Number(month), Number(day));
  } catch (error) {
    throw exception(
      'java.time.format.DateTimeParseException',
      `Text '${text}' could not be parsed: ${error instanceof Error ? error.message : String(error)}`,
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
export function parsePattern(
  text: string,
  pattern: string,
  kind: TemporalKind,
  zone: Zone | undefined,
): Temporal {
  const found: Record<string, number> = {};
  let offset: string | undefined;
  let zoneId = zone?.id;
  let at = 0;
  const parts = splitPattern(pattern.replace(/[[\]]/g, ''), DATE_TIME_LETTERS);
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

/** A pattern takes a day up to the 31st for the last one of the month. */
function existingDay(year: number, month: number, day: number): number {
  return day <= 31 && month >= 1 && month <= 12 ? Math.min(day, daysInMonth(year, month)) : day;
}

function fromFields(
  found: Record<string, number>,
  kind: TemporalKind,
  offset: string | undefined,
  zoneId: string | undefined,
  text: string,
): Temporal {
  const { y: year, M: month, D: dayOfYear } = found;
  const date =
    year === undefined
      ? undefined
      : dayOfYear !== undefined
        ? () => dateOf(year, 1, 1) + dayOfYear - 1
        : month !== undefined
          ? () => dateOf(year, month, existingDay(year, month, found['d'] ?? 1))
          : undefined;
  const halfDayHour = found['h'] ?? found['K'];
  const hour =
    found['H'] ??
    (found['k'] === 24 ? 0 : found['k']) ??
    (halfDayHour === undefined ? undefined : (halfDayHour % 12) + (found['a'] ?? 0));
  const missing =
    (kind !== 'LocalTime' && date === undefined) || (kind !== 'LocalDate' && hour === undefined);
  if (missing) {
    throw exception(
      'java.time.format.DateTimeParseException',
      `Text '${text}' could not be parsed: Unable to obtain ${kind} from TemporalAccessor`,
    );
  }
  let day = 0;
  try {
    if (kind !== 'LocalTime' && date !== undefined) day = date();
    const nanos =
      kind === 'LocalDate' || hour === undefined
        ? 0
        : timeOf(hour, found['m'] ?? 0, found['s'] ?? 0, found['S'] ?? found['n'] ?? 0);
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
      `Text '${text}' could not be parsed: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
