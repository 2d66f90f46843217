import { toCivilDate, toEpochDay } from '#time/index.ts';
import type { CronExpression } from './cron-expression.ts';
import { daysOfMonth } from './day-rule.ts';
import { nextBit, nextMember } from './value-set.ts';
import { nextYear } from './year-term.ts';

const DAY_SECONDS = 86_400;

/**
 * The first matching wall time at or after `from`, both in seconds; null when there is none up to the end of
 * `lastYear`. Each turn of the loop moves on by a day, a month or years, so a search of a hundred years for
 * something that never comes (30 February) ends after some 1300 turns.
 */
export function nextWallTime(expression: CronExpression, from: number, lastYear: number): number | null {
  const startDay = Math.floor(from / DAY_SECONDS);
  let { year, month, day } = toCivilDate(startDay);
  let second = from - startDay * DAY_SECONDS;

  for (;;) {
    const foundYear = nextYear(expression.years, year);
    if (foundYear === undefined || foundYear > lastYear) return null;
    if (foundYear > year) {
      year = foundYear;
      month = 1;
      day = 1;
      second = 0;
    }

    const foundMonth = nextMember(expression.months, month);
    if (foundMonth < 0) {
      year += 1;
      month = 1;
      day = 1;
      second = 0;
      continue;
    }
    if (foundMonth > month) {
      month = foundMonth;
      day = 1;
      second = 0;
    }

    const foundDay = nextBit(daysOfMonth(expression.days, year, month), day);
    if (foundDay < 0) {
      month += 1;
      day = 1;
      second = 0;
      continue;
    }
    if (foundDay > day) {
      day = foundDay;
      second = 0;
    }

    const foundSecond = nextSecondOfDay(expression, second);
    if (foundSecond >= 0) return toEpochDay(year, month, day) * DAY_SECONDS + foundSecond;
    day += 1;
    second = 0;
  }
}

/** The first matching second of a day at or after `from`, or -1. */
function nextSecondOfDay({ seconds, minutes, hours }: CronExpression, from: number): number {
  const minuteOfDay = Math.floor(from / 60);
  let hour = Math.floor(minuteOfDay / 60);
  let minute = minuteOfDay - hour * 60;
  let second = from - minuteOfDay * 60;

  const foundHour = nextMember(hours, hour);
  if (foundHour < 0) return -1;
  if (foundHour > hour) {
    hour = foundHour;
    minute = 0;
    second = 0;
  }
  let foundMinute = nextMember(minutes, minute);
  if (foundMinute === minute) {
    const foundSecond = nextMember(seconds, second);
    if (foundSecond >= 0) return (hour * 60 + minute) * 60 + foundSecond;
    foundMinute = nextMember(minutes, minute + 1);
  }
  if (foundMinute < 0) {
    hour = nextMember(hours, hour + 1);
    if (hour < 0) return -1;
    foundMinute = nextMember(minutes, 0);
  }
  return (hour * 60 + foundMinute) * 60 + nextMember(seconds, 0);
}
