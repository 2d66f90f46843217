import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BadRequestError } from '#errors/index.ts';
import type { DurationUnit } from '#time/duration.ts';
import { addDuration, parseDuration, subtractDuration } from '#time/index.ts';

const START = Date.parse('2026-01-31T10:00:00.120Z');

test.each([
  ['90s', '2026-01-31T10:01:30.120Z'],
  ['10m', '2026-01-31T10:10:00.120Z'],
  ['36h', '2026-02-01T22:00:00.120Z'],
  ['2d', '2026-02-02T10:00:00.120Z'],
  ['1M', '2026-02-28T10:00:00.120Z'],
  ['25M', '2028-02-29T10:00:00.120Z'],
  ['2y', '2028-01-31T10:00:00.120Z'],
  ['0s', '2026-01-31T10:00:00.120Z'],
])('%s later', (text, expected) => {
  expect(new Date(addDuration(START, parseDuration(text))).toISOString()).toBe(expected);
});

test.each([
  ['11M', '2025-02-28T10:00:00.120Z'],
  ['1M', '2025-12-31T10:00:00.120Z'],
  ['1y', '2025-01-31T10:00:00.120Z'],
  ['31d', '2025-12-31T10:00:00.120Z'],
])('%s earlier', (text, expected) => {
  expect(new Date(subtractDuration(START, parseDuration(text))).toISOString()).toBe(expected);
});

test('the leap day a year later is 28 February', () => {
  const leapDay = Date.UTC(2028, 1, 29);
  expect(addDuration(leapDay, parseDuration('1y'))).toBe(Date.UTC(2029, 1, 28));
});

test('durations of fixed length can be taken back', () => {
  const fixedUnits = fc.constantFrom<DurationUnit>('s', 'm', 'h', 'd');
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100_000 }), fixedUnits, (amount, unit) => {
      expect(subtractDuration(addDuration(START, { amount, unit }), { amount, unit })).toBe(START);
    }),
  );
});

const units = 's (seconds), m (minutes), h (hours), d (days), M (months) or y (years)';
test.each([
  ['10', `Add a unit to '10': ${units}`],
  ['10D', "Units are case-sensitive: write '10d'"],
  ['10H', "Units are case-sensitive: write '10h'"],
  ['10w', `Write a whole number and one unit: ${units}, such as 10m`],
  ['1.5h', `Write a whole number and one unit: ${units}, such as 10m`],
  ['-1d', `Write a whole number and one unit: ${units}, such as 10m`],
  ['1d2h', `Write a whole number and one unit: ${units}, such as 10m`],
  ['10 m', `Write a whole number and one unit: ${units}, such as 10m`],
  ['', `Write a whole number and one unit: ${units}, such as 10m`],
  ['1234567890s', 'Use at most nine digits'],
])('%j is refused with a hint', (text, hint) => {
  try {
    parseDuration(text);
    throw new Error('accepted');
  } catch (error) {
    expect(error).toBeInstanceOf(BadRequestError);
    expect((error as Error).message).toBe(`'${text}' is not a duration`);
    expect((error as BadRequestError).detail).toEqual({ id: 'TIME_BAD_DURATION', hint, value: text });
  }
});

test('a duration that leaves the calendar is refused', () => {
  expect(() => addDuration(START, parseDuration('9999y'))).toThrow(
    "'9999y' leads out of the years 1 to 9999",
  );
  expect(() => subtractDuration(START, parseDuration('999999999d'))).toThrow(BadRequestError);
});
