import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const PAGE = readFileSync(new URL('../../../docs/synchronisation.md', import.meta.url), 'utf8');
const SECTION = PAGE.slice(PAGE.indexOf('## What happens when something fails'));
const ROWS = SECTION.split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
  .slice(1)
  .map((line) => line.slice(2, -2).split(' | '));

describe('each failure of docs/synchronisation.md', () => {
  const tried = ROWS.flatMap(([what = '', , by = '']) =>
    [...by.matchAll(/`([^`]+)`: ([^;(|]+)/g)].map(([, file = '', words = '']) => ({
      what,
      file,
      words: words.trim(),
    })),
  );

  it.each(tried)('is tried by a test of that name: $what ($file)', ({ file, words }) => {
    const source = readFileSync(new URL(`../../${file}.test.ts`, import.meta.url), 'utf8');
    expect(source).toContain(`'${words}`);
  });

  it('has a test', () => {
    const without = ROWS.filter(([, , by = '']) => !by.includes('`')).map(([what]) => what);
    expect(without).toEqual([]);
  });
});
