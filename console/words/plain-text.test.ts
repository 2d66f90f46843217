import { expect, it } from 'vitest';
import { plainText } from './plain-text.ts';

it.each<[unknown, string]>([
  ['a text', 'a text'],
  [0, '0'],
  [false, 'false'],
  [null, ''],
  [undefined, ''],
  [{ toString: 1, valueOf: 1 }, '{"toString":1,"valueOf":1}'],
  [[{ toString: 1 }], '[{"toString":1}]'],
])('whatever somebody has stored is shown as a text: %j', (value, shown) => {
  expect(plainText(value)).toBe(shown);
});
