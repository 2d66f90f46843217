import { daysInMonth, toEpochDay, weekdayOf } from '#time/index.ts';

/**
 * Which days of a month fire. Exactly one of day of month and day of week decides; the other is `?`. Weekdays
 * are numbered 1 = Sunday to 7 = Saturday, and sets of days have bit d for day d.
 */
export type DayRule =
  | { readonly kind: 'monthDays'; readonly plain: number; readonly special: readonly MonthDay[] }
  | { readonly kind: 'weekdays'; readonly byFirstWeekday: readonly number[] }
  | { readonly kind: 'lastWeekday'; readonly weekday: number }
  | { readonly kind: 'nthWeekday'; readonly weekday: number; readonly nth: number };

/**
 * A day that depends on the month: `day` counts from its start, `fromEnd` back from its last day (0). With
 * `nearestWorkday` the Monday to Friday nearest to it, without leaving the month.
 */
export type MonthDay = { readonly nearestWorkday: boolean } & (
  | { readonly day: number; readonly fromEnd?: never }
  | { readonly fromEnd: number; readonly day?: never }
);

const SATURDAY = 6;
const SUNDAY = 0;

/** The rule for a set of weekdays (1..7); what it means in a month depends only on the weekday of the 1st. */
export function weekdaysRule(weekdays: Iterable<number>): DayRule {
  const chosen = new Set(weekdays);
  const byFirstWeekday = Array.from({ length: 7 }, (_, first) => {
    let days = 0;
    for (let day = 1; day <= 31; day++) {
      if (chosen.has(((first + day - 1) % 7) + 1)) days |= 1 << day;
    }
    return days;
  });
  return { kind: 'weekdays', byFirstWeekday };
}

/** The days of a month that fire, as bits 1..31. */
export function daysOfMonth(rule: DayRule, year: number, month: number): number {
  const length = daysInMonth(year, month);
  const inMonth = -2 & (-1 >>> (31 - length));
  switch (rule.kind) {
    case 'monthDays': {
      let days = rule.plain & inMonth;
      for (const special of rule.special) days |= dayBit(special, year, month, length);
      return days;
    }
    case 'weekdays':
      return rule.byFirstWeekday[weekdayOf(toEpochDay(year, month, 1))]! & inMonth;
    case 'lastWeekday':
      return 1 << (length - ((weekdayOf(toEpochDay(year, month, length)) - (rule.weekday - 1) + 7) % 7));
    case 'nthWeekday': {
      const first = weekdayOf(toEpochDay(year, month, 1));
      const day = 1 + ((rule.weekday - 1 - first + 7) % 7) + (rule.nth - 1) * 7;
      return day > length ? 0 : 1 << day;
    }
  }
}

/** The bit of a special day; 0 where the month lacks the day. */
function dayBit(special: MonthDay, year: number, month: number, length: number): number {
  const day = special.day ?? length - special.fromEnd;
  if (day < 1 || day > length) return 0;
  return 1 << (special.nearestWorkday ? nearestWorkday(year, month, day, length) : day);
}

function nearestWorkday(year: number, month: number, day: number, length: number): number {
  const weekday = weekdayOf(toEpochDay(year, month, day));
  if (weekday === SATURDAY) return day === 1 ? 3 : day - 1;
  if (weekday === SUNDAY) return day === length ? day - 2 : day + 1;
  return day;
}
