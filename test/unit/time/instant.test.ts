import { expect, it } from 'vitest';
import { parseInstant } from '#time/index.ts';

it.each(['2030-02-28T00:00:00Z', '2028-02-29T00:00:00Z', '2030-04-30', '2030-12-31T23:59:59+02:00'])(
  'a time on a day that there is, %s, is what it says',
  (text) => {
    expect(parseInstant(text)).toBe(Date.parse(text));
  },
);

it.each(['2030-02-29T00:00:00Z', '2030-02-31', '2030-04-31T00:00:00Z', '2030-13-01T00:00:00Z', 'soon', ''])(
  'a time on a day that there is not, %j, is none',
  (text) => {
    expect(parseInstant(text)).toBeNaN();
  },
);
