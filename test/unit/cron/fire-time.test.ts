import { describe, expect, test } from 'vitest';
import { getTimeZone } from '#time/index.ts';
import { firstFireTime, nextFireTime, parseCron } from '../../../src/cron/index.ts';
import { nextFireTimes } from '../../../src/cron/next-fire-time.ts';

const UTC = getTimeZone('UTC');
const NOON = Date.UTC(2026, 0, 1, 12);
const daily = parseCron('0 0 12 * * ?');
const DAY_MS = 86_400_000;

describe('the next firing', () => {
  test('comes after the instant, never at it', () => {
    expect(nextFireTime(daily, NOON - 1, UTC)).toBe(NOON);
    expect(nextFireTime(daily, NOON, UTC)).toBe(NOON + DAY_MS);
    expect(nextFireTime(daily, NOON + 999, UTC)).toBe(NOON + DAY_MS);
  });

  test('may be at the end of the span, not later', () => {
    expect(nextFireTime(daily, NOON - 1, UTC, { dst: 'quartz', until: NOON })).toBe(NOON);
    expect(nextFireTime(daily, NOON - 1, UTC, { dst: 'quartz', until: NOON - 1 })).toBeNull();
  });

  test('is looked for up to the end of the hundredth year', () => {
    expect(nextFireTime(parseCron('0 0 0 31 12 ? 2126'), NOON, UTC)).toBe(Date.UTC(2126, 11, 31));
    expect(nextFireTime(parseCron('0 0 0 1 1 ? 2127'), NOON, UTC)).toBeNull();
  });

  test('works before 1970', () => {
    expect(nextFireTime(daily, Date.UTC(1960, 1, 28, 12), UTC)).toBe(Date.UTC(1960, 1, 29, 12));
  });

  test('needs an instant to start from', () => {
    for (const after of [Number.NaN, Infinity, 1e300]) {
      expect(() => nextFireTime(daily, after, UTC)).toThrow(RangeError);
    }
    expect(nextFireTime(daily, 8.64e15 - DAY_MS, getTimeZone('Europe/Warsaw'))).toBeGreaterThan(8.6e15);
  });

  test.each([
    '0 0 0 30 2 ?',
    '0 0 0 31 2,4,6,9,11 ?',
    '0 0 0 L-30 2,4 ?',
    '0 0 0 30W 2 ?',
    '0 0 0 * * ? 1999',
  ])('of %s never comes, in whichever zone', (text) => {
    const expression = parseCron(text);
    for (const id of ['UTC', 'America/New_York', 'Australia/Lord_Howe']) {
      expect(nextFireTime(expression, NOON, getTimeZone(id))).toBeNull();
      expect(nextFireTime(expression, NOON, getTimeZone(id), { dst: 'smooth' })).toBeNull();
    }
  });
});

describe('the first firing', () => {
  test('counts the second it starts in', () => {
    expect(firstFireTime(daily, NOON, UTC)).toBe(NOON);
    expect(firstFireTime(daily, NOON + 999, UTC)).toBe(NOON);
    expect(firstFireTime(daily, NOON + 1000, UTC)).toBe(NOON + DAY_MS);
  });

  test('ends where it must', () => {
    expect(firstFireTime(daily, NOON, UTC, { dst: 'quartz', until: NOON })).toBe(NOON);
    expect(firstFireTime(daily, NOON + 1000, UTC, { dst: 'quartz', until: NOON })).toBeNull();
  });
});

test('the next firings come in order and stop when there are no more', () => {
  expect(nextFireTimes(daily, NOON, UTC, 3)).toEqual([NOON + DAY_MS, NOON + 2 * DAY_MS, NOON + 3 * DAY_MS]);
  const twice = parseCron('0 0 12 1 1 ? 2026-2027');
  expect(nextFireTimes(twice, 0, UTC, 5)).toEqual([NOON, Date.UTC(2027, 0, 1, 12)]);
  expect(nextFireTimes(daily, NOON, UTC, 5, { dst: 'quartz', until: NOON + DAY_MS })).toEqual([
    NOON + DAY_MS,
  ]);
  expect(nextFireTimes(daily, NOON, UTC, 0)).toEqual([]);
});
