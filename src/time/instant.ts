import { daysInMonth } from './calendar.ts';

const EARLIEST_MS = Date.parse('0001-01-01T00:00:00Z');
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Reads what `Date.parse` reads, on days that there are: that takes the 31st of February for the 3rd of March.
 *
 * @returns epoch ms, or NaN
 */
export function parseInstant(text: string): number {
  const at = Date.parse(text);
  return Number.isNaN(at) || isRealDay(text, new Date(at).getUTCFullYear()) ? at : Number.NaN;
}

/** Forms in which people and programs write a day: 2030-02-28, 2/28/2030, 28 February 2030, February 28, 2030. */
const DAYS = [
  /^\s*[+-]?\d{4,6}[-/](?<month>\d\d?)[-/](?<day>\d\d?)(?!\d)/,
  /^\s*(?<month>\d\d?)[-/. ](?<day>\d\d?)[-/. ]\d/,
  /(?<!\d)(?<day>\d\d?)[\s-]*(?<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i,
  /(?<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[\s.-]*(?<day>\d\d?)(?!\d)/i,
];
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

function isRealDay(text: string, year: number): boolean {
  for (const written of DAYS) {
    const { month = '', day } = written.exec(text)?.groups ?? {};
    if (day === undefined) continue;
    const number = MONTHS.indexOf(month.toLowerCase()) + 1 || Number(month);
    return number < 1 || number > 12 || Number(day) <= daysInMonth(year, number);
  }
  return true;
}

/** Whether it is an instant of the years 1 to 9999, which JavaScript, Postgres and ISO 8601 all write in the same way. */
export function isInstant(ms: number): boolean {
  return ms >= EARLIEST_MS && ms <= LATEST_MS;
}
