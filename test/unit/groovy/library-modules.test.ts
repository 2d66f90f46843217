import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readModules } from '../../../src/groovy/kept-modules.ts';
import { ModuleLinker } from '../../../src/groovy/link-modules.ts';
import { moduleText } from '../../../src/groovy/module-text.ts';

describe('a module of the library', () => {
  test('says what it imports and exports, and has no types and comments', () => {
    const source = `import { type A, b, c as d } from './b.ts';
import type { T } from './t.ts';
import * as all from '../all.ts';
import './effect.ts';

/** Said of it. */
export const one: number = b(1), two = d; // behind it
export function three<X>(x: X): X { return all.give(x); }
export class Four { readonly five: string; #six?: number; seven = 7; static eight: number; constructor() { this.five = '5'; } }
const nine = 9;
export { nine as ten };
`;
    expect(moduleText(source)).toEqual({
      imports: [
        { path: './b.ts', pattern: '{b,c:d}' },
        { path: '../all.ts', pattern: 'all' },
        { path: './effect.ts' },
      ],
      exports: ['one', 'two', 'three', 'Four', 'ten:nine'],
      body: `const one = b(1), two = d;
function three (x ) { return all.give(x); }
class Four { #six ; seven = 7; static eight ; constructor() { this.five = '5'; } }
const nine = 9;`,
    });
  });

  test('keeps texts as they are, whatever they look like', () => {
    const source = `const text = \`
  export const a = 1;

  field;
import { x } from './y.ts';\`;`;
    expect(moduleText(source)).toEqual({ imports: [], exports: [], body: source });
  });

  test.each([
    'export default 1;',
    "export * from './a.ts';",
    "export { a } from './a.ts';",
    "import a from './a.ts';",
    'export const { a } = {};',
  ])('is refused when it says what the library has no use for: %s', (source) => {
    expect(() => moduleText(source)).toThrow(/^The library has no /);
  });
});

describe('the modules of a folder', () => {
  let folder: string;
  const url = () => pathToFileURL(`${folder}/`);
  const kept = () => readdirSync(folder).filter((name) => name.endsWith('.json'));

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-modules-'));
    vi.stubEnv('NODE_COMPILE_CACHE', folder);
    writeFileSync(join(folder, 'a.ts'), "import { b } from './b.ts';\nexport const a = b + 1;\n");
    writeFileSync(join(folder, 'b.ts'), 'export const b: number = 1;\n');
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  test('are parsed once, and again when one has changed', () => {
    const modules = readModules(url());
    expect(kept()).toEqual(['groovy-library.json']);
    const file = join(folder, 'groovy-library.json');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('b + 1', 'b + 2'));
    expect(readModules(url())['a.ts']!.body).toContain('b + 2');
    writeFileSync(join(folder, 'b.ts'), 'export const b = 3;\n');
    expect(readModules(url())).toEqual({ ...modules, 'b.ts': { ...modules['b.ts'], body: 'const b = 3;' } });
    expect(kept()).toEqual(['groovy-library.json']);
  });

  test('are parsed where what was kept is damaged', () => {
    writeFileSync(join(folder, 'groovy-library.json'), '{"hash":');
    expect(Object.keys(readModules(url()))).toEqual(['a.ts', 'b.ts']);
  });

  test('are functions that find each other in the sandbox, each behind what it needs', () => {
    const linker = new ModuleLinker(url());
    const [b, a] = linker.link(new URL('a.ts', url()));
    expect([b!.name, a!.name]).toEqual(['groovy/b.ts', 'groovy/a.ts']);
    expect(a!.imports).toEqual([b]);
    expect(a!.source).toBe(
      '(sandbox)=>{"use strict";const {b}=sandbox.groovyModules["groovy/b.ts"];const a = b + 1;\nsandbox.groovyModules["groovy/a.ts"]={a};}',
    );
  });
});
