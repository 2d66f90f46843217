/** What calendars show of a wall time in milliseconds. Months count from 0, weekdays from 1 for Sunday. */
export interface DateFields {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly ms: number;
  readonly weekday: number;
}

export const MONTHS =
  'January February March April May June July August September October November December'.split(' ');
const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** @param month from 0. @param isShort three letters of it */
export function monthName(month: number, isShort: boolean): string {
  return named(MONTHS, month, isShort);
}

/** @param weekday from 1, which is Sunday. @param isShort three letters of it */
export function weekdayName(weekday: number, isShort: boolean): string {
  return named(WEEKDAYS, weekday - 1, isShort);
}

function named(names: readonly string[], at: number, isShort: boolean): string {
  const name = names[at];
  if (name === undefined) throw new RangeError(`There is no name for ${at}`);
  return isShort ? name.slice(0, 3) : name;
}

/** The last moment that JavaScript's own dates know, on both sides of 1970. */
const FARTHEST = 8.64e15;
/** After so many days and years the calendar begins anew. */
const CYCLE = { days: 146_097, years: 400 };
const DAY = 86_400_000;

export function fieldsOf(wall: number): DateFields {
  if (Math.abs(wall) > FARTHEST) return farFieldsOf(wall);
  const date = new Date(wall);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    ms: date.getUTCMilliseconds(),
    weekday: date.getUTCDay() + 1,
  };
}

/** So far away only days can be told apart. */
function farFieldsOf(wall: number): DateFields {
  const day = Math.round(wall / DAY);
  const cycles = Math.floor(day / CYCLE.days);
  const fields = fieldsOf((day - cycles * CYCLE.days) * DAY);
  return { ...fields, year: fields.year + cycles * CYCLE.years };
}

/** Fields may be out of their bounds; what is too much goes into the next larger one. */
export function wallOf(
  year: number,
  month: number,
  day: number,
  hour = 0,
  minute = 0,
  second = 0,
  ms = 0,
): number {
  const date = new Date(Date.UTC(2000, 0, 1, hour, minute, second, ms));
  const timeOfDay = date.getTime() - Date.UTC(2000, 0, 1);
  const midnight = new Date(0);
  const cycles = Math.abs(year) < 200_000 ? 0 : Math.floor(year / CYCLE.years);
  midnight.setUTCFullYear(year - cycles * CYCLE.years, month, day);
  return midnight.getTime() + cycles * CYCLE.days * DAY + timeOfDay;
}

export function daysIn(year: number, month: number): number {
  return new Date(wallOf(year, month + 1, 0)).getUTCDate();
}

/** Moved by months; a day that the month does not have becomes its last. */
export function addMonths(wall: number, count: number): number {
  const { year, month, day, hour, minute, second, ms } = fieldsOf(wall);
  const total = year * 12 + month + count;
  const [newYear, newMonth] = [Math.floor(total / 12), ((total % 12) + 12) % 12];
  return wallOf(newYear, newMonth, Math.min(day, daysIn(newYear, newMonth)), hour, minute, second, ms);
}

export function dayOfYear(wall: number): number {
  const { year } = fieldsOf(wall);
  return Math.floor((wall - wallOf(year, 0, 1)) / 86_400_000) + 1;
}

/** The week that a day is in and the year of that week. */
export function weekOf(
  wall: number,
  firstWeekday: number,
  leastDays: number,
): { week: number; year: number } {
  const { year } = fieldsOf(wall);
  for (const candidate of [year + 1, year, year - 1]) {
    const start = weekYearStart(candidate, firstWeekday, leastDays);
    if (wall >= start) return { week: Math.floor((wall - start) / 604_800_000) + 1, year: candidate };
  }
  return { week: 1, year };
}

function weekYearStart(year: number, firstWeekday: number, leastDays: number): number {
  const first = wallOf(year, 0, 1);
  const back = (fieldsOf(first).weekday - firstWeekday + 7) % 7;
  const start = first - back * 86_400_000;
  return 7 - back >= leastDays ? start : start + 604_800_000;
}
