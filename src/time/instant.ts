import { daysInMonth } from './calendar.ts';

const EARLIEST_MS = Date.parse('0001-01-01T00:00:00Z');
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** @returns epoch ms, or NaN. `Date.parse` takes the 31st of February for the 3rd of March, and this does not. */
export function parseInstant(text: string): number {
  const [, year, month, day] = DAY.exec(text) ?? [];
  if (day !== undefined && Number(day) > daysInMonth(Number(year), Number(month))) return Number.NaN;
  return Date.parse(text);
}

const DAY = /^([+-]?\d{4,6})-(0[1-9]|1[0-2])-(\d\d)/;

/** Whether it is an instant of the years 1 to 9999, which JavaScript, Postgres and ISO 8601 all write in the same way. */
export function isInstant(ms: number): boolean {
  return ms >= EARLIEST_MS && ms <= LATEST_MS;
}
