import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = new URL('../../../', import.meta.url).pathname;
const VERDICTS = ['met', 'not applicable', 'operator', 'not yet'];
/** Requirements of levels 1 and 2 in the standard. */
const REQUIREMENTS = 253;

const lines = readFileSync(join(ROOT, 'docs/asvs.md'), 'utf8').split('\n');
const cells = (line: string) => line.slice(2, -2).split(' | ');
const rows = lines
  .filter((line) => /^\| \d/.test(line))
  .map(cells)
  .map(([number, about, verdict, ...held]) => ({
    number: number!,
    about: about!,
    verdict: verdict!,
    held: held.join(' | '),
  }));

const texts = new Map<string, string>();
function textOf(path: string): string {
  const text =
    texts.get(path) ?? (existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : '');
  texts.set(path, text);
  return text;
}

/** Whether a source has the title of a test, in the quotes that it needs there. */
function hasTitle(source: string, title: string): boolean {
  return [`'${title}'`, `"${title}"`, `\`${title}\``, `'${title.replaceAll("'", "\\'")}'`].some((quoted) =>
    source.includes(quoted),
  );
}

function hasSection(page: string, title: string): boolean {
  return page.split('\n').some((line) => /^#{2,4} /.test(line) && line.replace(/^#+ /, '') === title);
}

/** What a row names and is not there. */
function missing(held: string): string[] {
  const wrong: string[] = [];
  let rest = held;
  for (const [whole, file, title] of held.matchAll(/`([\w./-]+)`: \*(.+?)\*(?=; `|$)/g)) {
    rest = rest.replace(whole, '');
    const isPage = file!.endsWith('.md');
    const text = textOf(isPage ? `docs/${file}` : `test/${file}.test.ts`);
    if (!(isPage ? hasSection(text, title!) : hasTitle(text, title!))) wrong.push(whole);
  }
  for (const [, file] of rest.matchAll(/`([\w./-]+\/[\w./-]+)`/g)) {
    if (!existsSync(join(ROOT, file!))) wrong.push(file!);
  }
  return wrong;
}

describe('docs/asvs.md', () => {
  it('has each requirement once, in order, and says of each what is the case', () => {
    const numbers = rows.map(({ number }) => number);
    const order = (number: string) => number.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => order(a) - order(b)));
    expect(numbers).toHaveLength(REQUIREMENTS);
    expect(rows.filter(({ verdict }) => !VERDICTS.includes(verdict))).toEqual([]);
    expect(rows.filter(({ about }) => about.split(' ').length > 10)).toEqual([]);
  });

  it('names tests, sections and files that exist', () => {
    const wrong = rows.flatMap(({ number, held }) => missing(held).map((what) => `${number}: ${what}`));
    expect(wrong).toEqual([]);
  });

  it('calls nothing met or left to operators without naming what holds it', () => {
    const bare = rows.filter(
      ({ verdict, held }) => /^(?:met|operator)$/.test(verdict) && !held.startsWith('`'),
    );
    expect(bare).toEqual([]);
    expect(rows.filter(({ held }) => held.trim() === '')).toEqual([]);
  });

  it('counts right', () => {
    const counted = (of: typeof rows) =>
      VERDICTS.map((verdict) => String(of.filter((row) => row.verdict === verdict).length));
    const table = lines.filter((line) => /^\| (?:V\d|all )/.test(line)).map(cells);
    expect(table).toHaveLength(18);
    for (const [name, ...numbers] of table) {
      const chapter = /^V(\d+) /.exec(name!)?.[1];
      const of = chapter === undefined ? rows : rows.filter(({ number }) => number.startsWith(`${chapter}.`));
      expect([name, ...numbers]).toEqual([name, ...counted(of)]);
    }
    expect(table.at(-1)![0]).toBe(`all ${rows.length}`);
  });

  it('finds what is not there', () => {
    expect(missing('`api/doors`: *no such title*')).toHaveLength(1);
    expect(missing('`operations.md`: *No such section*; `src/nothing.ts`')).toHaveLength(2);
    expect(missing('`api/doors`: *show metrics*; `operations.md`: *Load balancer*')).toEqual([]);
  });
});
