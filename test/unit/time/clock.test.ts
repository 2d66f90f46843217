import { expect, test } from 'vitest';
import { systemClock, TestClock } from '#time/index.ts';

test('the system clock tells epoch milliseconds', () => {
  const before = Date.now();
  const now = systemClock.now();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});

test('a test clock stands still until it is set or advanced', () => {
  const clock = new TestClock('2026-03-08T06:59:00Z');
  expect(clock.now()).toBe(Date.UTC(2026, 2, 8, 6, 59));
  clock.advance(60_000);
  expect(clock.now()).toBe(Date.UTC(2026, 2, 8, 7));
  clock.set(5);
  expect(clock.now()).toBe(5);
});

test('a test clock refuses what is no instant', () => {
  expect(() => new TestClock('yesterday')).toThrow("A clock cannot be set to 'yesterday'");
  expect(() => new TestClock(0).set(Number.NaN)).toThrow(RangeError);
});
