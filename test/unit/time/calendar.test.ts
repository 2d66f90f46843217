import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLeapYear } from '#time/calendar.ts';
import { daysInMonth, toCivilDate, toEpochDay, weekdayOf } from '#time/index.ts';

test('civil dates agree with the Date object from the year 100 to 9999', () => {
  const days = fc.integer({ min: -683_000, max: 2_932_800 });
  fc.assert(
    fc.property(days, (epochDay) => {
      const date = new Date(epochDay * 86_400_000);
      const civil = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
      expect(toCivilDate(epochDay)).toEqual(civil);
      expect(toEpochDay(civil.year, civil.month, civil.day)).toBe(epochDay);
      expect(weekdayOf(epochDay)).toBe(date.getUTCDay());
    }),
  );
});

test('the years below 100 are themselves', () => {
  expect(toEpochDay(1, 1, 1)).toBe(-719_162);
  expect(toCivilDate(-719_162)).toEqual({ year: 1, month: 1, day: 1 });
});

test('centuries are leap years only every four hundred years', () => {
  expect([1900, 2000, 2024, 2026, 2100].map(isLeapYear)).toEqual([false, true, true, false, false]);
  expect(daysInMonth(2100, 2)).toBe(28);
  expect(daysInMonth(2000, 2)).toBe(29);
  expect(daysInMonth(2026, 12)).toBe(31);
});
