import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'acorn';
import { expect, test } from 'vitest';
import { compileGroovy, GroovySyntaxError } from '../../../src/groovy/index.ts';
import '../../support/takes-long.ts';

const directory = new URL('../../fixtures/groovy/', import.meta.url);
const sources = readdirSync(directory).flatMap((file) => {
  const { rows } = JSON.parse(readFileSync(new URL(file, directory), 'utf8')) as {
    rows: { source: string }[];
  };
  return rows.map(({ source }) => source);
});
const PIECES = [
  ...'{}[]()<>;:,.?!@#$%^&*-+=/\\|~`"\'\n\r\t 0xe'.split(''),
  ...['->', '?.', '*.', '..<', '<=>', '=~', '==~', '${', '"""', "'''", '$/', '/$', '//', '/*', '\\u', '\\'],
  ...[
    'def ',
    'class A ',
    'switch',
    'case',
    'if',
    'else',
    'try',
    'catch',
    'return ',
    'in ',
    'as ',
    'new ',
    'enum ',
    'it',
  ],
  ...['\u0000', '\u0001', '\u2028', '\ud800', '\ufeff', '1e999', '0b', '9'.repeat(400)],
];

/** The same sequence each time: a failure can be repeated. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * below);
  };
}

function damaged(source: string, random: (below: number) => number): string {
  let text = source;
  for (let count = random(4); count >= 0; count--) {
    const at = random(text.length + 1);
    const piece = PIECES[random(PIECES.length)]!;
    const end = at + random(6);
    switch (random(4)) {
      case 0:
        text = text.slice(0, at) + piece + text.slice(at);
        break;
      case 1:
        text = text.slice(0, at) + text.slice(end);
        break;
      case 2:
        text = text.slice(0, at) + piece + text.slice(end);
        break;
      default:
        text = text.slice(0, at) + text.slice(at, end).repeat(3) + text.slice(end);
    }
  }
  return text;
}

/** Compiles or refuses; what is compiled is one JavaScript program. Milliseconds of CPU that it took. */
function tryToCompile(source: string): number {
  const before = process.threadCpuUsage();
  try {
    const { javascript } = compileGroovy({ name: 'fuzz', source });
    parse(javascript, { ecmaVersion: 'latest', sourceType: 'script', allowReturnOutsideFunction: true });
  } catch (error) {
    if (!(error instanceof GroovySyntaxError))
      throw new Error(`Compiling ${JSON.stringify(source)} failed`, { cause: error });
    expect(error.line).toBeGreaterThan(0);
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

test('damaged scripts are compiled or refused, never anything else', () => {
  const random = randomNumbers(20_261);
  for (let round = 0; round < 3000; round++) {
    tryToCompile(damaged(sources[random(sources.length)]!, random));
  }
});

test('random tokens are compiled or refused', () => {
  const random = randomNumbers(7);
  for (let round = 0; round < 3000; round++) {
    tryToCompile(Array.from({ length: random(40) }, () => PIECES[random(PIECES.length)]!).join(''));
  }
});

const indexed = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');

test.each([
  ['a few sums', `x = ${'a + '.repeat(24)}1`],
  ['sums of whole numbers', `x = ${'1 + '.repeat(200)}1`],
  ['classes one below the other', indexed(3000, (index) => `class C${index} extends C${index + 1} {}`)],
  [
    'interfaces that have two ways up each',
    indexed(24, (index) => {
      const above = `extends I${index + 1}, J${index + 1}`;
      return `interface I${index} ${above} {}\ninterface J${index} ${above} {}`;
    }),
  ],
  ['a class that is its own parent', 'class A extends A {}'],
  ['parentheses', '('.repeat(20_000)],
  ['lists', '['.repeat(20_000)],
  ['blocks', '{'.repeat(20_000)],
  ['closures with parameters', 'def c = { a = { b = '.repeat(2000)],
  ['texts in texts', '"${'.repeat(5000)],
  ['operators', `x = ${'1 + '.repeat(20_000)}1`],
  ['comparisons', `x = ${'a < '.repeat(20_000)}1`],
  ['dots', `x${'.a'.repeat(20_000)}`],
  ['calls', `${'a('.repeat(10_000)}1`],
  ['negations', `x = ${'!'.repeat(20_000)}1`],
  ['casts', `x = ${'(int) '.repeat(10_000)}1`],
  ['choices', `x = ${'a ? b : '.repeat(10_000)}1`],
  ['types', `${'List<'.repeat(10_000)}String x`],
  ['conditions', `${'if (a) '.repeat(10_000)}1`],
  ['arrows', `x = ${'{ a -> '.repeat(5000)}1`],
  ['a long text', `'${'x'.repeat(1_000_000)}'`],
  ['a comment without an end', `/*${'*'.repeat(100_000)}`],
  ['a long command', 'a '.repeat(20_000)],
  ['labels', 'a: '.repeat(10_000)],
  ['newlines', '\n'.repeat(200_000)],
  ['slashes', '/'.repeat(50_000)],
  ['dollars', '$'.repeat(50_000)],
])('a script that is nothing but %s does not keep the compiler busy', (_what, source) => {
  expect(tryToCompile(source)).toBeLessThan(5000);
});
