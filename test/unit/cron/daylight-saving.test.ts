import { describe, expect, test } from 'vitest';
import { getTimeZone, type TimeZone } from '#time/index.ts';
import { nextFireTime, parseCron } from '../../../src/cron/index.ts';
import { nextFireTimes } from '../../../src/cron/next-fire-time.ts';
import cases from '../../fixtures/cron-daylight-saving.json' with { type: 'json' };

/** `2026-03-08T03:00:00-04:00`: the wall time with its offset, so that the two passes of an hour differ. */
function format(epochMs: number, zone: TimeZone): string {
  const offset = zone.offsetAt(epochMs) / 60_000;
  const digits = (value: number) => String(value).padStart(2, '0');
  const sign = offset < 0 ? '-' : '+';
  const hours = digits(Math.floor(Math.abs(offset) / 60));
  return `${new Date(zone.wallAt(epochMs)).toISOString().slice(0, 19)}${sign}${hours}:${digits(Math.abs(offset) % 60)}`;
}

describe.each(['quartz', 'smooth'] as const)('by the rule %s', (dst) => {
  test.each(cases)('$title: $expression in $zone', ({ expression, zone: zoneId, after, ...expected }) => {
    const zone = getTimeZone(zoneId);
    const dates = expected[dst];
    const times = nextFireTimes(parseCron(expression), Date.parse(after), zone, dates.length, { dst });
    expect(times.map((time) => format(time, zone))).toEqual(dates);
  });

  test('a time that lies in a gap every year ends the search', () => {
    const newYork = getTimeZone('America/New_York');
    const found = nextFireTime(parseCron('0 30 2 ? 3 1#2'), Date.UTC(2026, 0, 1), newYork, { dst });
    expect(found).toBe(dst === 'quartz' ? null : Date.UTC(2026, 2, 8, 7));
  });

  test('without changes of clocks both rules are the same', () => {
    const zone = getTimeZone('GMT+05:30');
    const expression = parseCron('0 0/20 1-2 * * ?');
    const times = nextFireTimes(expression, Date.UTC(2026, 2, 7), zone, 30, { dst });
    expect(times).toEqual(nextFireTimes(expression, Date.UTC(2026, 2, 7), zone, 30));
  });
});

test('a search within the first pass leaves out what is behind it on the clock, unless the rule is smooth', () => {
  const newYork = getTimeZone('America/New_York');
  const after = Date.parse('2026-11-01T01:45:00-04:00');
  const at = (text: string, dst: 'quartz' | 'smooth') =>
    format(nextFireTime(parseCron(text), after, newYork, { dst }) ?? 0, newYork);
  expect(at('0 0/30 1 * * ?', 'quartz')).toBe('2026-11-02T01:00:00-05:00');
  expect(at('0 0/30 1 * * ?', 'smooth')).toBe('2026-11-01T01:00:00-05:00');
});
