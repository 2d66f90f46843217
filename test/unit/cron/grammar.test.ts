import { describe, expect, test } from 'vitest';
import { BadRequestError } from '#errors/index.ts';
import { getTimeZone } from '#time/index.ts';
import { formatLocalDateTime } from '#time/local-date-time.ts';
import { parseCron } from '../../../src/cron/index.ts';
import { nextFireTimes } from '../../../src/cron/next-fire-time.ts';

const UTC = getTimeZone('UTC');

function refusal(text: string): { message: string; detail: Record<string, unknown> } {
  try {
    parseCron(text);
  } catch (error) {
    expect(error).toBeInstanceOf(BadRequestError);
    const { message, detail } = error as BadRequestError;
    return { message, detail: detail as Record<string, unknown> };
  }
  throw new Error(`'${text}' was accepted`);
}

function dates(text: string, count: number): string[] {
  return nextFireTimes(parseCron(text), Date.UTC(2026, 0, 1), UTC, count).map(formatLocalDateTime);
}

describe('a mistake in one element names the field, the element, its place, and the way out', () => {
  const hourForms = 'Forms of the hour: *, a, a-b, a/s, a-b/s, */s';
  const dayForms = 'Forms of the day of month: *, a, a-b, a/s, a-b/s, */s, L, L-n, LW, L-nW, nW';
  const weekdayForms = 'Forms of the day of week: *, a, a-b, a/s, a-b/s, */s, L, nL, n#m';
  const alone = "'?' stands alone, as day of month or as day of week";

  // biome-ignore format: one case a line
  test.each([
    // numbers and names
    ['60 0 0 * * ?', 'second', '60', 1, 'is not within 0 to 59', 'second 60: seconds go from 0 to 59'],
    ['0 75 0 * * ?', 'minute', '75', 3, 'is not within 0 to 59', 'minute 75: minutes go from 0 to 59'],
    ['0 0 24 * * ?', 'hour', '24', 5, 'is not within 0 to 23', 'hour 24: hours go from 0 (midnight) to 23'],
    ['0 0 0 0 * ?', 'dayOfMonth', '0', 7, 'is not within 1 to 31', 'day of month 0: days go from 1 to 31, and the last day is L'],
    ['0 0 0 1,32 * ?', 'dayOfMonth', '32', 9, 'is not within 1 to 31', 'day of month 32: days go from 1 to 31, and the last day is L'],
    ['0 0 0 1 13 ?', 'month', '13', 9, 'is not within 1 to 12', 'month 13: months go from 1 (or JAN) to 12 (or DEC)'],
    ['0 0 0 ? * 0', 'dayOfWeek', '0', 11, 'is not within 1 to 7', 'day of week 0: Sunday is 1 (or SUN)'],
    ['0 0 0 ? * MON,8', 'dayOfWeek', '8', 15, 'is not within 1 to 7', 'day of week 8: days go from 1 (or SUN) to 7 (or SAT)'],
    ['0 0 0 1 1 ? 26', 'year', '26', 13, 'is not a year', 'Write years with four digits'],
    ['0 0 0 1 1 ? next', 'year', 'next', 13, 'is no year', 'year next: write years with four digits'],
    ['0 0 0 ? * MOM', 'dayOfWeek', 'MOM', 11, 'is no day of week', "Did you mean 'MON'?"],
    ['0 0 0 ? * TUES', 'dayOfWeek', 'TUES', 11, 'is no day of week', "Did you mean 'TUE'?"],
    ['0 0 0 1 JANAURY ?', 'month', 'JANAURY', 9, 'is no month', "Did you mean 'JANUARY'?"],
    ['0 0 0 ? * MONDAY-FRIDAY', 'dayOfWeek', 'MONDAY-FRIDAY', 11, 'uses a whole name', 'Write the first three letters: MON'],
    ['0 0 0 ? * FRIDAYL', 'dayOfWeek', 'FRIDAYL', 11, 'uses a whole name', 'Write the first three letters: FRI'],
    ['0 0 0 ? * MON-6', 'dayOfWeek', 'MON-6', 11, 'mixes a name and a number', 'Write both ends as names or both as numbers'],
    ['H 0 0 * * ?', 'second', 'H', 1, 'is no second', 'second H: seconds go from 0 to 59'],
    ['1.5 0 0 * * ?', 'second', '1.5', 1, 'is not a whole number', 'Write whole numbers only'],
    ['0 0 12 5C * ?', 'dayOfMonth', '5C', 8, 'asks for a calendar', 'Calendars (C) are not supported; write the number alone'],
    ['0 0 -2 * * ?', 'hour', '-2', 5, 'cannot be read', hourForms],
    ['0 0 1-2-3 * * ?', 'hour', '1-2-3', 5, 'cannot be read', hourForms],
    ['0 0 1- * * ?', 'hour', '1-', 5, 'cannot be read', hourForms],
    ['0 0 *-3 * * ?', 'hour', '*-3', 5, 'cannot be read', hourForms],
    ['0 0 0 1 1 ? 2027-2026', 'year', '2027-2026', 13, 'ends before it starts', 'Ranges of years do not wrap around'],
    // lists
    ['0 0 0 ,1 * ?', 'dayOfMonth', '', 7, 'is empty', 'Remove the comma, or write a value on both sides of it'],
    ['0 1,,2 0 * * ?', 'minute', '', 5, 'is empty', 'Remove the comma, or write a value on both sides of it'],
    ['0 1, 0 * * ?', 'minute', '', 5, 'is empty', 'Remove the comma, or write a value on both sides of it'],
    // steps
    ['0 0/90 * * * ?', 'minute', '0/90', 3, 'has a step above 59', 'Leave the step out, or write at most 59'],
    ['0 0 */24 * * ?', 'hour', '*/24', 5, 'has a step above 23', 'Leave the step out, or write at most 23'],
    ['0 0 0 1/32 * ?', 'dayOfMonth', '1/32', 7, 'has a step above 31', 'Leave the step out, or write at most 31'],
    ['0 0 0 1 1/13 ?', 'month', '1/13', 9, 'has a step above 12', 'Leave the step out, or write at most 12'],
    ['0 0 0 ? * 1/8', 'dayOfWeek', '1/8', 11, 'has a step above 7', 'Leave the step out, or write at most 7'],
    ['0 */0 * * * ?', 'minute', '*/0', 3, 'has the step 0', "Write '*' for every value"],
    ['0 /0 * * * ?', 'minute', '/0', 3, 'has the step 0', "Write '*' for every value"],
    ['0 5/ * * * ?', 'minute', '5/', 3, "has no step after '/'", "Write a number after '/'"],
    ['0 / * * * ?', 'minute', '/', 3, "has no step after '/'", "Write a number after '/'"],
    ['0 5/x * * * ?', 'minute', '5/x', 3, "has the step 'x'", 'Steps are whole numbers'],
    // question marks
    ['? 0 0 * * ?', 'second', '?', 1, "uses '?'", alone],
    ['0 0 0 ? ? MON', 'month', '?', 9, "uses '?'", alone],
    ['0 0 0 * * ?,', 'dayOfWeek', '?,', 11, "uses '?'", alone],
    ['0 0 0 ?/2 * MON', 'dayOfMonth', '?/2', 7, "uses '?'", alone],
    ['0 0 0 ? * ?', 'dayOfWeek', '?', 11, "repeats the '?' of day of month", "Write '*' for every day: '0 0 0 * * ?'"],
    ['0 0 0 * * *', 'dayOfWeek', '*', 11, "and day of month '*' are both given", "Write '?' as day of week: '0 0 0 * * ?'"],
    ['0 0 0 1 * *', 'dayOfWeek', '*', 11, "and day of month '1' are both given", "Write '?' as day of week: '0 0 0 1 * ?'"],
    ['0 0 0 * * MON 2027', 'dayOfWeek', 'MON', 11, "and day of month '*' are both given", "Write '?' as day of month: '0 0 0 ? * MON 2027'"],
    ['0 0 0 1 * MON', 'dayOfWeek', 'MON', 11, "and day of month '1' are both given", "Exactly one of day of month and day of week must be '?'; make one schedule of each"],
    // L, W and #
    ['0 0 0 0W * ?', 'dayOfMonth', '0W', 7, 'is not within 1 to 31', 'day of month 0: days go from 1 to 31, and the last day is L'],
    ['0 0 0 32W * ?', 'dayOfMonth', '32W', 7, 'is not within 1 to 31', 'day of month 32: days go from 1 to 31, and the last day is L'],
    ['0 0 0 W * ?', 'dayOfMonth', 'W', 7, 'cannot be read', dayForms],
    ['0 0 0 WL * ?', 'dayOfMonth', 'WL', 7, 'cannot be read', dayForms],
    ['0 0 0 1-15W * ?', 'dayOfMonth', '1-15W', 7, 'cannot be read', dayForms],
    ['0 0 0 15W/2 * ?', 'dayOfMonth', '15W/2', 7, 'cannot be read', dayForms],
    ['0 0 0 L/2 * ?', 'dayOfMonth', 'L/2', 7, 'cannot be read', dayForms],
    ['0 0 0 L-31 * ?', 'dayOfMonth', 'L-31', 7, 'lies before every month', 'Write L-0 to L-30'],
    ['0 0 0 ? * 0#1', 'dayOfWeek', '0#1', 11, 'is not within 1 to 7', 'day of week 0: Sunday is 1 (or SUN)'],
    ['0 0 0 ? * 5#0', 'dayOfWeek', '5#0', 11, 'does not say which week', "Write a number from 1 to 5 after '#'"],
    ['0 0 0 ? * 5#6', 'dayOfWeek', '5#6', 11, 'does not say which week', "Write a number from 1 to 5 after '#'"],
    ['0 0 0 ? * FRI#', 'dayOfWeek', 'FRI#', 11, 'does not say which week', "Write a number from 1 to 5 after '#'"],
    ['0 0 0 ? * 2-4#2', 'dayOfWeek', '2-4#2', 11, 'cannot be read', weekdayForms],
    ['0 0 0 ? * 0L', 'dayOfWeek', '0L', 11, 'is not within 1 to 7', 'day of week 0: Sunday is 1 (or SUN)'],
    ['0 0 0 ? * 2,6L', 'dayOfWeek', '6L', 13, 'stands in a list', 'L, nL and n#m stand alone; make one schedule of each'],
    ['0 0 0 ? * 3#1,6#3', 'dayOfWeek', '3#1', 11, 'stands in a list', 'L, nL and n#m stand alone; make one schedule of each'],
    ['0 0 0 ? * 2,L', 'dayOfWeek', 'L', 13, 'stands in a list', 'L, nL and n#m stand alone; make one schedule of each'],
    ['0 0 L * * ?', 'hour', 'L', 5, 'is no hour', 'hour L: hours go from 0 (midnight) to 23'],
  ] as const)('%s', (expression, cronField, element, position, problem, hint) => {
    const { message, detail } = refusal(expression);
    expect(detail).toEqual({ id: 'SCHED_BAD_CRON', hint, expression, cronField, element, position });
    expect(message).toContain(`'${element}' (character ${position}) ${problem}`);
  });
});

describe('a mistake in the whole expression', () => {
  const order = 'Write second minute hour day-of-month month day-of-week [year]';
  test.each([
    ['', 'is empty', "Write six fields, such as '0 0 12 * * ?'"],
    [' \t ', 'is empty', "Write six fields, such as '0 0 12 * * ?'"],
    ['noon', 'has 1 field', order],
    ['0 0 12 * *', 'has 5 fields', `${order}; a Unix cron line lacks the seconds and the '?'`],
    ['0 0 0 * * ? * *', 'has 8 fields', order],
    ['0 0 0 * * ? 2026 extra', 'has 8 fields', order],
    ['@daily', 'shortcuts are not known', "Write '0 0 0 * * ?'"],
    ['@WEEKLY', 'shortcuts are not known', "Write '0 0 0 ? * SUN'"],
  ])('%j', (expression, problem, hint) => {
    const { message, detail } = refusal(expression);
    expect(message).toBe(`Bad cron expression '${expression}': ${problem}`);
    expect(detail).toEqual({ id: 'SCHED_BAD_CRON', hint, expression });
  });

  test('that is endless is not repeated whole', () => {
    const { message, detail } = refusal(`0 0 0 * * ? ${'2026,'.repeat(1000)}2026`);
    expect(message.length).toBeLessThan(120);
    expect(detail['hint']).toBe('Use at most 2000');
  });
});

describe('what is accepted', () => {
  test.each(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'])(
    'the replacement offered for %s',
    (shortcut) => {
      const offered = /'(.*)'/.exec(String(refusal(shortcut).detail['hint']))?.[1];
      expect(parseCron(offered ?? '').warnings).toEqual([]);
    },
  );

  test('the text is kept as it was written', () => {
    expect(parseCron(' 0\t0  12 ? jan mon ').text).toBe(' 0\t0  12 ? jan mon ');
  });

  test('blanks, tabs and the case of letters do not matter', () => {
    expect(dates(' 0\t0  12 ? jan mon ', 2)).toEqual(dates('0 0 12 ? JAN MON', 2));
    expect(dates('0 0 12 l-3w * ?', 2)).toEqual(dates('0 0 12 L-3W * ?', 2));
    expect(dates('0 0 12 ? * fril', 2)).toEqual(dates('0 0 12 ? * 6L', 2));
  });

  test('a line break is no separator', () => {
    expect(() => parseCron('0 0 12 * *\n?')).toThrow('has 5 fields');
  });

  test('whole English names stand alone or in lists', () => {
    expect(dates('0 0 12 ? February,MARCH monday,Friday', 2)).toEqual(dates('0 0 12 ? 2,3 2,6', 2));
  });

  test.each([
    ['0 0 0 ? * MON/2', "day of week 'MON/2': a step after a name is ignored, so this means 'MON'", 'MON'],
    [
      '0 0 0 ? * MON-FRI/2',
      "day of week 'MON-FRI/2': a step after a name is ignored, so this means 'MON-FRI'",
      'MON-FRI',
    ],
    ['0 0 0 ? * L-1', "day of week 'L-1': what follows L is ignored, so this means Saturday", 'SAT'],
    ['0 0 0 ? * 2/0', "day of week '2/0': a step of 0 leaves only 2", 'MON'],
    ['0 0 0 ? * 2-4/0', "day of week '2-4/0': a step of 0 leaves only 2", 'MON'],
    ['0 0 0 ? * 2-4/9', "day of week '2-4/9': the step leaves only 2", 'MON'],
  ])('%s with a warning, in the meaning of Quartz', (text, warning, meaning) => {
    expect(parseCron(text).warnings).toEqual([warning]);
    expect(dates(text, 20)).toEqual(dates(`0 0 0 ? * ${meaning}`, 20));
  });

  test('ordinary expressions have no warnings', () => {
    for (const text of ['0 0/5 8-17 ? * MON-FRI', '0 0 0 L,LW,15W,L-3 * ? 2026/2', '*/20 * * * * ?']) {
      expect(parseCron(text).warnings).toEqual([]);
    }
  });

  test.each([
    ['* 30 1 * * ?', true],
    ['0 * 1 * * ?', true],
    ['0 0/30 1 * * ?', true],
    ['0 10-20 1 * * ?', true],
    ['0 5,10-20 1 * * ?', true],
    ['0 15 * * * ?', true],
    ['0 15 1-3 * * ?', true],
    ['0 15 0/1 * * ?', true],
    ['0 15 1 * * ?', false],
    ['0 0,30 1 * * ?', false],
    ['0 0 1,2 * * ?', false],
    ['0 45/30 1 * * ?', false],
    ['0 30-30 1 * * ?', false],
    ['0 0 */6 * * ?', false],
    ['0 0 1-5/2 * * ?', false],
  ])('%s is an interval schedule: %s', (text, isInterval) => {
    expect(parseCron(text).isInterval).toBe(isInterval);
  });
});
