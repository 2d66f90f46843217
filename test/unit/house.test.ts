import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const MOST_LINES = 350;
const MOST_LINES_OF_A_TEST = 500;

/** How often `src/` says `x!` and `x as T` (but `as const`); less is better, and more is refused. */
const MOST_ASSERTED = { absent: 278, casts: 178 };

/** A statement that takes names from the door of a room, or hands them on. */
const FROM_DOOR =
  /(?:import|export)(?:\s+type)?\s+\{([^}]*)\}\s+from\s+'(?:#|[./]+\/(?:src\/)?)([\w-]+)\/index\.ts'/g;
const TAKEN_LATER = /const \{([^}]*)\} = await import\('#([\w-]+)\/index\.ts'\)/g;
const AT_DOOR = /export (?:type )?\{([^}]*)\} from/g;

/** What CONTRIBUTING.md says of the house, where a linter cannot. */
describe('the house', () => {
  it(`has no file above ${MOST_LINES} lines`, () => {
    expect(sources().filter((file) => lengthOf(file) > MOST_LINES)).toEqual([]);
  });

  it(`has no test file above ${MOST_LINES_OF_A_TEST} lines`, () => {
    const tests = filesIn('test').filter((file) => file.endsWith('.test.ts'));
    expect(tests.filter((file) => lengthOf(file) > MOST_LINES_OF_A_TEST)).toEqual([]);
  });

  it('has no text in the elements of the console: people read it in their language', () => {
    const READ = new Set(['label', 'title', 'aria-label', 'placeholder', 'alt', 'hint']);
    const texts: string[] = [];
    const look = (file: string, node: ts.Node): void => {
      const isText = ts.isJsxText(node) && /\p{L}{2}/u.test(node.text);
      const isRead =
        ts.isJsxAttribute(node) &&
        READ.has(node.name.getText()) &&
        node.initializer !== undefined &&
        ts.isStringLiteral(node.initializer) &&
        node.initializer.text !== '';
      if (isText || isRead) texts.push(`${file}: ${node.getText().trim()}`);
      ts.forEachChild(node, (child) => look(file, child));
    };
    for (const name of readdirSync(join(ROOT, 'console'), { recursive: true })) {
      const file = join('console', String(name));
      if (file.endsWith('.tsx')) {
        look(file, ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX));
      }
    }
    // What is on a key is the same everywhere.
    expect(texts.filter((text) => !text.endsWith('Ctrl K'))).toEqual([]);
  });

  it('asserts no more often than before what the compiler cannot see', () => {
    const asserted = { absent: 0, casts: 0 };
    const count = (node: ts.Node): void => {
      if (ts.isNonNullExpression(node)) asserted.absent += 1;
      if (ts.isAsExpression(node) && !ts.isConstTypeReference(node.type)) asserted.casts += 1;
      ts.forEachChild(node, count);
    };
    for (const file of filesIn('src')) {
      count(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true));
    }
    expect(asserted.absent).toBeLessThanOrEqual(MOST_ASSERTED.absent);
    expect(asserted.casts).toBeLessThanOrEqual(MOST_ASSERTED.casts);
  });

  it('has no comment that begins without the noun that it is about', () => {
    const HEADLESS = /^\s*(?:\/\*\*?|\/\/|\*) (?:Of|Those|Whose) .*/gm;
    const written = [...sources(), ...filesIn('console')];
    const headless = written.flatMap(
      (file) =>
        read(file)
          .match(HEADLESS)
          ?.map((line) => `${file}: ${line}`) ?? [],
    );
    expect(headless).toEqual([]);
  });

  it('has no name at a door that nobody takes', () => {
    const taken = new Map<string, Set<string>>();
    for (const file of sources()) {
      for (const [, names, room] of [
        ...read(file).matchAll(FROM_DOOR),
        ...read(file).matchAll(TAKEN_LATER),
      ]) {
        if (file.startsWith(`src/${room}/`)) continue;
        const known = taken.get(room!) ?? new Set();
        taken.set(room!, known);
        for (const name of listed(names!)) known.add(name);
      }
    }
    const idle = sources()
      .flatMap((file) => /^src\/([\w-]+)\/index\.ts$/.exec(file) ?? [])
      .filter((part) => !part.includes('/'))
      // The command line is taken whole by bin/svc.js, the client by programs of others.
      .filter((room) => room !== 'cli' && room !== 'client')
      .flatMap((room) => {
        const names = [...read(`src/${room}/index.ts`).matchAll(AT_DOOR)].flatMap(([, list]) =>
          listed(list!),
        );
        return names.filter((name) => taken.get(room)?.has(name) !== true).map((name) => `${room}: ${name}`);
      });
    expect(idle).toEqual([]);
  });
});

function listed(names: string): string[] {
  return names
    .split(',')
    .map((name) =>
      name
        .trim()
        .replace(/^type /, '')
        .split(' as ')[0]!
        .trim(),
    )
    .filter((name) => name !== '');
}

function sources(): string[] {
  return ['src', 'workers'].flatMap(filesIn);
}

function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((file) => /\.tsx?$/.test(file) && statSync(join(ROOT, file)).isFile());
}

function lengthOf(file: string): number {
  return read(file).split('\n').length - 1;
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}
