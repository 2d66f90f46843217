import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const TESTS = new URL('../../', import.meta.url).pathname;
const page = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8');
const rows = page.split('\n').filter((line) => /^\| (?!promise|---)/.test(line));

/** The text of a test file, or of all that stand in a folder. */
function textOf(name: string): string {
  const file = `${TESTS}${name}.test.ts`;
  if (existsSync(file)) return readFileSync(file, 'utf8');
  if (!existsSync(TESTS + name) || !statSync(TESTS + name).isDirectory()) return '';
  return readdirSync(TESTS + name).join('\n');
}

describe('docs/security.md', () => {
  it.each(rows.map((row) => [row.split('|')[1]!.trim(), row.split('|')[2]!] as const))(
    'names tests that exist: %s',
    (_promise, held) => {
      const texts = [...held.matchAll(/`((?:api|browser|cli|cluster|contract|unit)\/[\w/-]+)`/g)].map(
        ([, name]) => textOf(name!),
      );
      expect(texts.length).toBeGreaterThan(0);
      expect(texts).not.toContain('');
      for (const [, sentence] of held.matchAll(/\*([^*]+)\*/g)) {
        const parts = sentence!.split('…').filter((part) => part !== '');
        expect(
          texts.some((text) => parts.every((part) => text.includes(part))),
          sentence,
        ).toBe(true);
      }
    },
  );
});
