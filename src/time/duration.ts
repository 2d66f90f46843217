import { BadRequestError } from '#errors/index.ts';
import { daysInMonth, toCivilDate, toEpochDay } from './calendar.ts';
import { isInstant } from './instant.ts';

/** Seconds, minutes, hours, days, months, years. `m` and `M` are different units. */
export type DurationUnit = 's' | 'm' | 'h' | 'd' | 'M' | 'y';

/** A span as it is written in configuration: months and years have no length in milliseconds. */
export interface Duration {
  readonly amount: number;
  readonly unit: DurationUnit;
}

const DAY_MS = 86_400_000;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS };
const DURATION = /^(\d{1,9})([smhdMy])$/;

/**
 * Reads a whole number and one suffix, such as `10m` (minutes) or `10M` (months).
 *
 * @throws BadRequestError `TIME_BAD_DURATION`
 */
export function parseDuration(text: string): Duration {
  const match = DURATION.exec(text);
  if (match === null) throw malformed(text);
  return { amount: Number(match[1]), unit: match[2] as DurationUnit };
}

/**
 * The instant that lies the duration after `epochMs`. Months and years follow the calendar in UTC; a day that
 * the month there lacks becomes its last one (31 January + 1M is 28 or 29 February).
 *
 * @throws BadRequestError `TIME_OUT_OF_RANGE` outside the years 1 to 9999
 */
export function addDuration(epochMs: number, duration: Duration): number {
  return shift(epochMs, duration, 1);
}

/** Like `addDuration`, into the past. */
export function subtractDuration(epochMs: number, duration: Duration): number {
  return shift(epochMs, duration, -1);
}

function shift(epochMs: number, { amount, unit }: Duration, sign: 1 | -1): number {
  const unitMs = UNIT_MS[unit];
  const months = unit === 'y' ? amount * 12 : amount;
  const shifted =
    unitMs === undefined ? shiftMonths(epochMs, sign * months) : epochMs + sign * amount * unitMs;
  if (isInstant(shifted)) return shifted;
  throw new BadRequestError(`'${amount}${unit}' leads out of the years 1 to 9999`, {
    id: 'TIME_OUT_OF_RANGE',
    hint: 'Use a shorter duration',
    detail: { value: `${amount}${unit}` },
  });
}

function shiftMonths(epochMs: number, months: number): number {
  const epochDay = Math.floor(epochMs / DAY_MS);
  const { year, month, day } = toCivilDate(epochDay);
  const monthIndex = year * 12 + month - 1 + months;
  const shiftedYear = Math.floor(monthIndex / 12);
  const shiftedMonth = monthIndex - shiftedYear * 12 + 1;
  const shiftedDay = Math.min(day, daysInMonth(shiftedYear, shiftedMonth));
  return toEpochDay(shiftedYear, shiftedMonth, shiftedDay) * DAY_MS + (epochMs - epochDay * DAY_MS);
}

function malformed(text: string): BadRequestError {
  return new BadRequestError(`'${text}' is not a duration`, {
    id: 'TIME_BAD_DURATION',
    hint: hintFor(text),
    detail: { value: text },
  });
}

function hintFor(text: string): string {
  const units = 's (seconds), m (minutes), h (hours), d (days), M (months) or y (years)';
  if (/^\d{10,}[smhdMy]?$/.test(text)) return 'Use at most nine digits';
  if (/^\d+$/.test(text)) return `Add a unit to '${text}': ${units}`;
  const wrongCase = /^(\d{1,9})([SHDY])$/.exec(text);
  if (wrongCase !== null) return `Units are case-sensitive: write '${text.toLowerCase()}'`;
  return `Write a whole number and one unit: ${units}, such as 10m`;
}
