import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitsWritten } from '../../../src/json/index.ts';

describe('what a value takes as text', () => {
  test.each([false, true])('is found out without writing it, indented: %s', (isIndented) => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'medium' }), (value) => {
        const text = JSON.stringify(value, null, isIndented ? 2 : undefined);
        // Characters that are escaped count once, numbers and words by and large.
        expect(fitsWritten(value, isIndented, 4 * text.length + 10)).toBe(true);
        expect(fitsWritten(value, isIndented, Math.floor(text.length / 8) - 10)).toBe(false);
      }),
    );
  });

  test('counts what is shared each time, and looks at nothing beyond the limit', () => {
    let shared: unknown = ['x'.repeat(1_000)];
    for (let level = 0; level < 60; level++) shared = [shared, shared];
    expect(fitsWritten(shared, false, 1_000_000)).toBe(false);
    const lines = { deep: Array.from({ length: 1_000 }, () => '') };
    expect([fitsWritten(lines, false, 5_000), fitsWritten(lines, true, 5_000)]).toEqual([true, false]);
  });
});
