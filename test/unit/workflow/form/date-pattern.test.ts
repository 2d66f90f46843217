import { describe, expect, test } from 'vitest';
import { checkDatePattern, formatDate, parseDate } from '../../../../src/workflow/form/date-pattern.ts';

const AT = Date.UTC(2026, 2, 7, 21, 5, 9, 42);

describe('a date in a pattern of Java', () => {
  test.each([
    ['dd/MM/yyyy', '07/03/2026'],
    ['d.M.yy', '7.3.26'],
    ['yyyyMMddHHmmss', '20260307210509'],
    ['EEE, d MMM yyyy', 'Sat, 7 Mar 2026'],
    ['EEEE d MMMM yyyy', 'Saturday 7 March 2026'],
    ['hh:mm a', '09:05 PM'],
    ["yyyy-MM-dd'T'HH:mm:ss.SSSZ", '2026-03-07T21:05:09.042+0000'],
    ["HH 'o''clock'", "21 o'clock"],
    ["''yy", "'26"],
    ['k K X z', '21 9 Z UTC'],
  ])('%s', (pattern, text) => {
    expect(formatDate(AT, pattern)).toBe(text);
  });

  test.each([
    ['dd/MM/yyyy', '07/03/2026', '2026-03-07T00:00:00.000Z'],
    ['dd/MM/yyyy', '7/3/2026', '2026-03-07T00:00:00.000Z'],
    ['dd/MM/yy', '07/03/69', '2069-03-07T00:00:00.000Z'],
    ['dd/MM/yy', '07/03/70', '1970-03-07T00:00:00.000Z'],
    ['yyyyMMddHHmm', '202603072105', '2026-03-07T21:05:00.000Z'],
    ['d MMM yyyy', '7 march 2026', '2026-03-07T00:00:00.000Z'],
    ['EEE, d MMM yyyy hh:mm a', 'Sat, 7 Mar 2026 12:30 AM', '2026-03-07T00:30:00.000Z'],
    ["yyyy-MM-dd'T'HH:mm:ssZ", '2026-03-07T21:05:09+0230', '2026-03-07T18:35:09.000Z'],
    ['MM', '02', '1970-02-01T00:00:00.000Z'],
    ['(yyyy)', '(2026)', '2026-01-01T00:00:00.000Z'],
    ['yyyy', '0007', '0007-01-01T00:00:00.000Z'],
  ])('%s reads %s', (pattern, text, instant) => {
    expect(new Date(parseDate(text, pattern)!).toISOString()).toBe(instant);
  });

  test.each([
    ['dd/MM/yyyy', '31/02/2026'],
    ['dd/MM/yyyy', '12/13/2026'],
    ['dd/MM/yyyy', '00/01/2026'],
    ['dd/MM/yyyy', '2026-03-07'],
    ['dd/MM/yyyy', '07/03/2026 and more'],
    ['HH:mm', '25:00'],
    ['HH:mm', '10:60'],
    ['d MMM yyyy', '7 Foo 2026'],
    ['dd/MM/yyyy', ''],
  ])('%s refuses %s', (pattern, text) => {
    expect(parseDate(text, pattern)).toBeUndefined();
  });

  test('an unknown letter is a mistake in the pattern', () => {
    expect(checkDatePattern('dd/MM/yyyy')).toBeUndefined();
    expect(checkDatePattern("'quoted' QQQ")).toBe("has the unknown letter 'Q'");
  });
});
