import { expect, it } from 'vitest';
import { parseInstant } from '#time/index.ts';

it.each([
  '2030-02-28T00:00:00Z',
  '2028-02-29T00:00:00Z',
  '2030-04-30',
  '2030-12-31T23:59:59+02:00',
  '+012028-02-29',
  '2030-02',
  '2/28/2030',
  '29 Feb 2028',
  'February 28, 2030',
  'Mon, 31 Mar 2031 00:00:00 GMT',
])('a time on a day that there is, %s, is what it says', (text) => {
  expect(parseInstant(text)).toBe(Date.parse(text));
});

it.each([
  '2030-02-29T00:00:00Z',
  '2030-02-31',
  '2030-2-31',
  '2030-04-31T00:00:00Z',
  '2030-13-01T00:00:00Z',
  '2030/02/31',
  '2/31/2030',
  '31 Feb 2030',
  '31-Feb-2030',
  '2030 Feb 31',
  'February 31, 2030',
  'Sun, 31 Feb 2030 00:00:00 GMT',
  'soon',
  '',
])('a time on a day that there is not, %j, is none', (text) => {
  expect(parseInstant(text)).toBeNaN();
});
