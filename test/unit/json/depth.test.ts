import { describe, expect, it } from 'vitest';
import { isTooDeep, type JsonValue, MOST_LEVELS, parsePointer } from '../../../src/json/index.ts';

function nested(levels: number, kind: 'list' | 'object'): JsonValue {
  let value: JsonValue = 1;
  for (let level = 0; level < levels; level++) value = kind === 'list' ? [value] : { a: value };
  return value;
}

describe('a value', () => {
  it.each(['list', 'object'] as const)('may be a %s nested as deep as the limit, and no deeper', (kind) => {
    expect(isTooDeep(nested(MOST_LEVELS, kind))).toBe(false);
    expect(isTooDeep(nested(MOST_LEVELS + 1, kind))).toBe(true);
    expect(isTooDeep(nested(100_000, kind))).toBe(true);
  });

  it('is not deep because it is wide', () => {
    expect(isTooDeep(Array.from({ length: 10_000 }, () => [null, 'x', {}]))).toBe(false);
  });
});

it('a pointer cannot lead deeper than a value may be', () => {
  expect(parsePointer('/a'.repeat(MOST_LEVELS))).toHaveLength(MOST_LEVELS);
  expect(() => parsePointer('/a'.repeat(MOST_LEVELS + 1))).toThrow(/257 levels/);
});
