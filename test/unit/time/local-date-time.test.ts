import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BadRequestError } from '#errors/index.ts';
import { getTimeZone, localDateTimeToInstant } from '#time/index.ts';
import { formatLocalDateTime, instantToLocalDateTime, parseLocalDateTime } from '#time/local-date-time.ts';

function refusal(text: string): BadRequestError {
  try {
    parseLocalDateTime(text);
  } catch (error) {
    expect(error).toBeInstanceOf(BadRequestError);
    return error as BadRequestError;
  }
  throw new Error(`'${text}' was accepted`);
}

describe('local date-times', () => {
  test('are read as the wall time they show', () => {
    expect(parseLocalDateTime('2026-09-01T06:00:00')).toBe(Date.UTC(2026, 8, 1, 6));
    expect(parseLocalDateTime('2028-02-29T23:59:59')).toBe(Date.UTC(2028, 1, 29, 23, 59, 59));
  });

  test('are written back as they were read', () => {
    const walls = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }).map((second) => second * 1000);
    fc.assert(fc.property(walls, (wall) => parseLocalDateTime(formatLocalDateTime(wall)) === wall));
    expect(formatLocalDateTime(parseLocalDateTime('0001-01-01T00:00:00'))).toBe('0001-01-01T00:00:00');
    expect(formatLocalDateTime(Date.UTC(2026, 0, 1, 0, 0, 0, 999))).toBe('2026-01-01T00:00:00');
    expect(formatLocalDateTime(-1)).toBe('1969-12-31T23:59:59');
  });

  const shape = "Write it as yyyy-MM-dd'T'HH:mm:ss, such as 2026-09-01T06:00:00";
  test.each([
    ['2026-09-01T06:00:00Z', `${shape}, without an offset`],
    ['2026-09-01T06:00:00+02:00', `${shape}, without an offset`],
    ['2026-09-01T06:00:00.000', `${shape}, without fractions of a second`],
    ['2026-09-01 06:00:00', shape],
    ['2026-09-01', shape],
    ['2026-9-1T06:00:00', shape],
    ['2026-09-01T06:00', shape],
    ['2026-09-01T06:00:00\n', shape],
    ['', shape],
    ['0000-01-01T00:00:00', 'Years go from 0001 to 9999'],
    ['2026-13-01T00:00:00', 'Months go from 01 to 12'],
    ['2026-02-29T00:00:00', '2026-02 has the days 01 to 28'],
    ['2026-04-00T00:00:00', '2026-04 has the days 01 to 30'],
    ['2026-04-01T24:00:00', 'Hours go from 00 to 23'],
    ['2026-04-01T00:60:00', 'Minutes go from 00 to 59'],
    ['2026-04-01T00:00:60', 'Seconds go from 00 to 59'],
  ])('%j is refused with a hint', (text, hint) => {
    const error = refusal(text);
    expect(error.message).toBe(`'${text}' is not a local date-time`);
    expect(error.detail).toEqual({ id: 'TIME_BAD_LOCAL_DATE_TIME', hint, value: text });
  });
});

describe('in a zone', () => {
  const newYork = getTimeZone('America/New_York');

  test('a local date-time is one instant', () => {
    expect(localDateTimeToInstant('2026-07-01T12:00:00', newYork)).toBe(Date.UTC(2026, 6, 1, 16));
    expect(instantToLocalDateTime(Date.UTC(2026, 6, 1, 16), newYork)).toBe('2026-07-01T12:00:00');
  });

  test('one in a gap moves forward by the length of the gap', () => {
    const at = localDateTimeToInstant('2026-03-08T02:30:00', newYork);
    expect(instantToLocalDateTime(at, newYork)).toBe('2026-03-08T03:30:00');
  });

  test('of one in an overlap the earlier instant is meant', () => {
    expect(localDateTimeToInstant('2026-11-01T01:30:00', newYork)).toBe(Date.UTC(2026, 10, 1, 5, 30));
  });
});
