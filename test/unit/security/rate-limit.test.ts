import { describe, expect, it } from 'vitest';
import { RateLimit, rateWords } from '../../../src/security/authentication/rate-limit.ts';

describe('a bound on what clients ask in a minute', () => {
  /** Two threads that count together, and their clock. */
  function open(perMinute: number) {
    let now = 1_000_000;
    const words = rateWords(now);
    const [one, other] = [0, 1].map(() => new RateLimit(perMinute, words, () => now)) as [
      RateLimit,
      RateLimit,
    ];
    return { one, other, pass: (ms: number) => (now += ms) };
  }

  it('lets as many pass at once as in a minute, and then as many as come back, for all threads together', () => {
    const { one, other, pass } = open(60);
    const taken = Array.from({ length: 60 }, (_, n) => (n % 2 === 0 ? one : other).take('ada'));
    expect(new Set(taken)).toEqual(new Set([0]));
    expect([one.has('ada'), one.take('ada'), other.take('ada')]).toEqual([false, 1, 1]);
    pass(999);
    expect(other.take('ada')).toBe(1);
    pass(1);
    expect([one.has('ada'), other.take('ada'), one.take('ada')]).toEqual([true, 0, 1]);
    pass(60_000);
    expect(Array.from({ length: 61 }, () => one.take('ada')).filter((seconds) => seconds > 0)).toHaveLength(
      1,
    );
  });

  it('says how long to wait where little comes back', () => {
    const { one } = open(2);
    expect([one.take('ada'), one.take('ada'), one.take('ada')]).toEqual([0, 0, 30]);
  });

  it('is each client’s own', () => {
    const { one } = open(1);
    const clients = Array.from({ length: 2_000 }, (_, n) => `client ${n}`);
    expect(clients.filter((client) => one.take(client) > 0)).toEqual([]);
    expect(clients.filter((client) => one.take(client) === 0)).toEqual([]);
  });

  it('holds for whoever comes often though a flood of others comes between', () => {
    const { one, pass } = open(60);
    for (let n = 0; n < 60; n += 1) one.take('ada');
    let passed = 0;
    for (let n = 0; n < 100_000; n += 1) {
      one.take(`flood ${n}`);
      if (n % 1_000 === 0 && one.take('ada') === 0) passed += 1;
      if (n % 50_000 === 0) pass(1_000);
    }
    expect(passed).toBeLessThanOrEqual(3);
  });

  it.each([1, 7, 60, 10_000])('counts %i a minute to within a hundredth', (perMinute) => {
    const { one, pass } = open(perMinute);
    let passed = 0;
    for (let n = 0; n < 5_000; n += 1) {
      while (one.take('ada') === 0) passed += 1;
      pass(60);
    }
    const expected = perMinute * 6;
    expect(Math.abs(passed - expected)).toBeLessThanOrEqual(1 + expected / 100);
  });
});
