import { describe, expect, test } from 'vitest';
import { getTimeZone, localDateTimeToInstant } from '#time/index.ts';
import { instantToLocalDateTime } from '#time/local-date-time.ts';
import { parseCron } from '../../../src/cron/index.ts';
import { nextFireTimes } from '../../../src/cron/next-fire-time.ts';
import table from '../../fixtures/cron-dates.json' with { type: 'json' };

/** Dates of a row; a list that ends early, or with null, says that nothing comes after. */
function datesOf(expression: string, after: string, zoneId: string, count: number): (string | null)[] {
  const zone = getTimeZone(zoneId);
  const times = nextFireTimes(parseCron(expression), localDateTimeToInstant(after, zone), zone, count);
  const dates: (string | null)[] = times.map((time) => instantToLocalDateTime(time, zone));
  return times.length < count ? [...dates, null] : dates;
}

const rows: readonly { expression: string; dates?: string[]; rejected?: boolean }[] = table.rows;

describe('the dates of Quartz 2', () => {
  test.each(rows.filter((row) => row.rejected !== true))('$expression', ({ expression, dates = [] }) => {
    const expected = dates.length < 3 ? [...dates, null] : dates;
    expect(datesOf(expression, table.after, table.zone, 3)).toEqual(expected);
  });

  test.each(table.further)('$expression after $after in $zone', ({ expression, after, zone, dates }) => {
    expect(datesOf(expression, after, zone, dates.length)).toEqual(dates);
  });
});

test.each(rows.filter((row) => row.rejected === true))('$expression is refused', ({ expression }) => {
  expect(() => parseCron(expression)).toThrow(`Bad cron expression '${expression}'`);
});
