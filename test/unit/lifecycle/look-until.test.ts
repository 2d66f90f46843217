import { describe, expect, it } from 'vitest';
import { lookUntil } from '#lifecycle/index.ts';

describe('waiting for what is done elsewhere', () => {
  it('ends with what it was waiting for', async () => {
    let looks = 0;
    const seen = await lookUntil(
      async () => ++looks,
      (count) => count === 3,
    );
    expect([seen, looks]).toEqual([3, 3]);
  });

  it('ends at once, and looks no more, when nobody waits any more', async () => {
    const left = new AbortController();
    let looks = 0;
    const look = async () => {
      looks += 1;
      if (looks === 2) queueMicrotask(() => left.abort());
      return looks;
    };
    await expect(lookUntil(look, () => false, left.signal)).rejects.toThrow('does not wait');
    expect(looks).toBe(2);
    await expect(lookUntil(look, () => false, left.signal)).rejects.toThrow('does not wait');
    expect(looks).toBe(2);
  });
});
