import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitsWritten, type JsonValue } from '../../../src/json/index.ts';

describe('what a value takes as text', () => {
  test.each([false, true])('is found out without writing it, indented: %s', (isIndented) => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'medium' }), (value) => {
        const json = value as JsonValue;
        const indent = isIndented ? 2 : 0;
        const text = JSON.stringify(value, null, indent);
        // Characters that are escaped count once, numbers and words by and large.
        expect(fitsWritten(json, 4 * text.length + 10, indent)).toBe(true);
        expect(fitsWritten(json, Math.floor(text.length / 8) - 10, indent)).toBe(false);
      }),
    );
  });

  test('counts what is shared each time, and looks at nothing beyond the limit', () => {
    let shared: JsonValue = ['x'.repeat(1_000)];
    for (let level = 0; level < 60; level++) shared = [shared, shared];
    expect(fitsWritten(shared, 1_000_000)).toBe(false);
    const lines = { deep: Array.from({ length: 1_000 }, () => '') };
    expect([fitsWritten(lines, 5_000), fitsWritten(lines, 5_000, 2)]).toEqual([true, false]);
  });
});
