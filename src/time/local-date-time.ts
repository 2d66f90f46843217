import { BadRequestError } from '#errors/index.ts';
import { daysInMonth, toCivilDate, toEpochDay } from './calendar.ts';
import type { TimeZone, WallMs } from './time-zone.ts';

const DAY_MS = 86_400_000;
const LOCAL_DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)$/;

/**
 * Reads `yyyy-MM-dd'T'HH:mm:ss`, nothing shorter, longer or with an offset; years 0001 to 9999.
 *
 * @throws BadRequestError `TIME_BAD_LOCAL_DATE_TIME`
 */
export function parseLocalDateTime(text: string): WallMs {
  const match = LOCAL_DATE_TIME.exec(text);
  if (match === null) throw malformed(text, hintForShape(text));
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  if (year < 1) throw malformed(text, 'Years go from 0001 to 9999');
  if (month < 1 || month > 12) throw malformed(text, 'Months go from 01 to 12');
  const length = daysInMonth(year, month);
  if (day < 1 || day > length) throw malformed(text, `${text.slice(0, 7)} has the days 01 to ${length}`);
  if (hour > 23) throw malformed(text, 'Hours go from 00 to 23');
  if (minute > 59) throw malformed(text, 'Minutes go from 00 to 59');
  if (second > 59) throw malformed(text, 'Seconds go from 00 to 59');
  return toEpochDay(year, month, day) * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000;
}

/** The inverse of `parseLocalDateTime`; milliseconds are cut off. */
export function formatLocalDateTime(wall: WallMs): string {
  const epochDay = Math.floor(wall / DAY_MS);
  const secondOfDay = Math.floor((wall - epochDay * DAY_MS) / 1000);
  const { year, month, day } = toCivilDate(epochDay);
  const date = `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`;
  const minuteOfDay = Math.floor(secondOfDay / 60);
  return `${date}T${twoDigits(Math.floor(minuteOfDay / 60))}:${twoDigits(minuteOfDay % 60)}:${twoDigits(secondOfDay % 60)}`;
}

/**
 * The instant of a local date-time, in milliseconds since the epoch. A time that the clocks skip moves forward
 * by the length of the gap (02:30 becomes 03:30); of a time that comes twice the earlier instant is meant.
 *
 * @throws BadRequestError `TIME_BAD_LOCAL_DATE_TIME`
 */
export function localDateTimeToInstant(text: string, zone: TimeZone): number {
  const wall = parseLocalDateTime(text);
  const resolution = zone.resolve(wall);
  switch (resolution.kind) {
    case 'gap':
      return wall - resolution.change.before;
    case 'one':
      return resolution.at;
    case 'two':
      return resolution.earlier;
  }
}

export function instantToLocalDateTime(epochMs: number, zone: TimeZone): string {
  return formatLocalDateTime(zone.wallAt(epochMs));
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

function malformed(text: string, hint: string): BadRequestError {
  return new BadRequestError(`'${text}' is not a local date-time`, {
    id: 'TIME_BAD_LOCAL_DATE_TIME',
    hint,
    detail: { value: text },
  });
}

function hintForShape(text: string): string {
  const shape = "Write it as yyyy-MM-dd'T'HH:mm:ss, such as 2026-09-01T06:00:00";
  if (/(?:Z|[+-]\d\d:?\d\d)$/i.test(text) && text.includes(':')) return `${shape}, without an offset`;
  if (/\.\d+$/.test(text)) return `${shape}, without fractions of a second`;
  return shape;
}
