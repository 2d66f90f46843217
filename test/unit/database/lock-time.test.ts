import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LockTime } from '#database/unit-of-work/lock-time.ts';

const LONGER_MS = 5;

/** As many statements as it remembers, of so many rows. */
function mostAfter(sizes: readonly number[], msOf: (rows: number) => number): number {
  const lockTime = new LockTime();
  for (const rows of sizes) lockTime.note(rows, msOf(rows));
  return lockTime.mostRows;
}

const sizes = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 60, maxLength: 100 });

describe('rows that are stored together', () => {
  it('are locked five milliseconds longer than one alone, however long the disk takes', () => {
    fc.assert(
      fc.property(
        sizes,
        fc.double({ min: 0, max: 500, noNaN: true }),
        fc.double({ min: 0.01, max: 0.1, noNaN: true }),
        (seen, disk, perRow) => {
          fc.pre(new Set(seen.slice(-10)).size > 3);
          const most = mostAfter(seen, (rows) => disk + rows * perRow);
          expect(most * perRow).toBeLessThanOrEqual(LONGER_MS * 1.01);
          expect(most * perRow).toBeGreaterThanOrEqual(LONGER_MS * 0.8);
        },
      ),
    );
  });

  it('are never fewer than are worth a commit', () => {
    expect(mostAfter([1, 10, 100, 1, 10, 100], (rows) => rows * 50)).toBe(48);
  });

  it('are bounded where they take no time', () => {
    expect(
      mostAfter(
        Array.from({ length: 100 }, (_, n) => n + 1),
        (rows) => rows / 1e6,
      ),
    ).toBe(2_000);
  });

  it('become more as each statement of one size shows what a row takes at most', () => {
    const lockTime = new LockTime();
    const sizes: number[] = [];
    for (let n = 0; n < 20; n++) {
      sizes.push(lockTime.mostRows);
      lockTime.note(lockTime.mostRows, 1 + lockTime.mostRows * 0.01);
    }
    expect(sizes[0]).toBe(50);
    expect(sizes.at(-1)).toBeGreaterThan(150);
  });
});
