import { describe, expect, it } from 'vitest';
import { findText, hasText, splitText } from '#json/index.ts';

describe('a part of a text', () => {
  const random = (seed: number) => () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };

  it('is found where it is, however long both are', () => {
    const next = random(7);
    const letters = (count: number) =>
      Array.from({ length: count }, () => (next() < 0.5 ? 'a' : 'b')).join('');
    for (let round = 0; round < 50; round++) {
      const part = letters(1_000 + Math.floor(next() * 1_000));
      const text =
        letters(2_000) + (round % 3 === 0 ? '' : part.slice(0, -1)) + (round % 2 === 0 ? part : '');
      expect(findText(text, part)).toBe(text.indexOf(part));
      expect(findText(text, part, 2_001)).toBe(text.indexOf(part, 2_001));
      expect(splitText(`${text}${part}x`, part)).toEqual(`${text}${part}x`.split(part));
    }
    expect(hasText('', '')).toBe(true);
  });

  it('takes its time in proportion to both, whatever texts somebody makes', () => {
    const part = `b${'a'.repeat(20_000)}`;
    const text = `b${'a'.repeat(19_999)}c`.repeat(7) + 'a'.repeat(60_000);
    const startedAt = process.threadCpuUsage();
    expect(hasText(text, part)).toBe(false);
    expect(process.threadCpuUsage(startedAt).user).toBeLessThan(300_000);
  });
});
