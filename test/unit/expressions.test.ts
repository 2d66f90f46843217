import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { parse } from 'acorn';
import { expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '../../src');
const LENGTH = 4_000;
/** One in proportion to the text takes a hundredth of that; one in proportion to its square, twice as much and more. */
const LONGEST_MS = 10;

/** Files whose expressions see nothing but what operators write, or what is short. */
const OF_OPERATORS = [
  // Configuration, scripts of the project, and the names of what is built.
  'config/java-properties.ts',
  'crypto/secret-members.ts',
  'groovy/',
  'http/http-server.ts',
  'security/access/access-condition.ts',
  'sync/doubtful-properties.ts',
  'sync/mapping.ts',
  'workflow/engine/compile/unreadable-part.ts',
  'workflow/engine/compile/read-diagram.ts',
  // At most 998 characters.
  'workflow/mail/mail.ts',
  // What V8 says of a mistake in JSON.
  'http/json-body.ts',
  // Of whoever runs it.
  'cli/',
  'client/',
];

interface Found {
  readonly file: string;
  readonly pattern: string;
  readonly flags: string;
}

it('no expression takes longer than in proportion to what a caller sends', () => {
  const slow = expressions()
    .filter(({ pattern }) => /[*+]|\{\d+,\}/.test(pattern))
    .flatMap((found) => {
      const text = slowText(found);
      return text === undefined ? [] : [`${found.file}: /${found.pattern}/ for ${text}`];
    });
  expect(slow).toEqual([]);
}, 120_000);

function expressions(): Found[] {
  return globSync('**/*.ts', { cwd: SRC })
    .filter((file) => !OF_OPERATORS.some((known) => file.startsWith(known)))
    .flatMap((file) => {
      const found: Found[] = [];
      const look = (node: unknown): void => {
        if (typeof node !== 'object' || node === null) return;
        if ('regex' in node) found.push({ file, ...(node.regex as Omit<Found, 'file'>) });
        for (const inner of Object.values(node)) look(inner);
      };
      const text = stripTypeScriptTypes(readFileSync(join(SRC, file), 'utf8'));
      look(parse(text, { ecmaVersion: 'latest', sourceType: 'module' }));
      return found;
    });
}

/** One of the texts that expressions go back and forth in: something again and again that ends otherwise. */
function slowText({ pattern, flags }: Found): string | undefined {
  const expression = new RegExp(pattern, flags.replace(/[gy]/g, ''));
  const written = [...new Set(pattern.replace(/\\[a-zA-Z]/g, ''))].filter(
    (one) => !'^$()[]|?*+'.includes(one),
  );
  const own = written.slice(0, 6);
  const letters = [...new Set([' ', 'a', '1', '\n', '"\\', ...own])];
  const again = [...letters, ...own.flatMap((one) => own.map((other) => one + other))];
  for (const one of again) {
    const repeated = one.repeat(LENGTH / one.length);
    for (const begin of ['', 'x', ...own]) {
      for (const end of ['\u0001', ...own]) {
        if (isSlow(expression, begin + repeated + end)) return JSON.stringify([begin, one, end]);
      }
    }
  }
  return undefined;
}

/** A busy machine is slow now and then, and not three times in a row. */
function isSlow(expression: RegExp, text: string): boolean {
  for (let attempt = 0; attempt < 3; attempt++) {
    const startedAt = performance.now();
    expression.test(text);
    if (performance.now() - startedAt <= LONGEST_MS) return false;
  }
  return true;
}
