import { expect, it } from 'vitest';
import { NotFoundError } from '#errors/index.ts';
import type { ScriptThrownError } from '../../../../src/script/javascript/index.ts';
import { describeEngines, type Host } from './support.ts';

const FILES: Record<string, string> = {
  'plain.js':
    'var a = 1; function f() { return a + 1 } let b = 3; const { c, d: [e] } = { c: 4, d: [5] }; class K {}',
  'strict.js': '"use strict"; var a = 1; function f() { return a + 1 } const b = 3',
  'sees.js': 'var seen = typeof given + typeof hidden; given.changed = true; var hidden = 1',
  'loads.js': 'load("plain.js"); var inner = f()',
  'reads.js': 'function again() { return [own, two, three()].join("") } var seen = again()',
  'assigns.js': 'own += 1',
  'fails.js': 'function fail(thing) {\n  return thing.missing.more;\n}\n',
  'fails-at-once.js': '\n\n  fail({})',
  'counts.js': 'count = (typeof count === "number" ? count : 0) + 1',
  'throws.js': 'throw { code: 418, message: "teapot" }',
  'broken.js': 'var = 1',
};

const host: Host = async (operation, [path]) => {
  if (operation !== 'load.resolve') return operation;
  const source = FILES[String(path)];
  if (source === undefined) throw new NotFoundError(`No file ${path}`);
  return { id: String(path), source };
};

describeEngines('load', (runner) => {
  it.each([
    [
      'makes what a file declares global',
      'load("plain.js"); [a, f(), b, c, e, typeof K].join()',
      '1,2,3,4,5,function',
    ],
    ['does so for strict files', 'load("strict.js"); [a, f(), b].join()', '1,2,3'],
    ['works inside functions', '(function () { load("plain.js"); return f() })()', 2],
    ['works in loaded files', 'load("loads.js"); inner', 2],
    ['evaluates a file each time', 'load("counts.js"); load("counts.js"); count', 2],
    ['gives nothing back', 'typeof load("plain.js")', 'undefined'],
    ['declares a variable of the script once more', 'var a = "own"; load("plain.js"); a + f()', 3],
    [
      'lets a file read what the script declares',
      'var own = 1; let two = 2; function three() { return 3 } load("reads.js"); seen',
      '123',
    ],
    [
      'does so in strict scripts',
      '"use strict"; var own = 1; const two = 2; function three() { return 3 } load("reads.js"); seen',
      '123',
    ],
    [
      'does so for what is declared in blocks',
      'for (var own = 0; own < 1; own++) { var two = 2; } function three() { return 3 } load("reads.js"); seen',
      '123',
    ],
    [
      'does so for what changes later',
      'var own = 0, two = 2; function three() { return 3 } load("reads.js"); own = 9; again()',
      '923',
    ],
    ['lets a file assign what the script declares', 'var own = 1; load("assigns.js"); own', 2],
    [
      'lets a file replace a function of the script',
      'function f() { return "own" } load("plain.js"); f()',
      2,
    ],
    [
      'keeps what the script calls like a built-in',
      'var undefined, NaN, name = 1; load("plain.js"); name + f()',
      3,
    ],
    ['leaves the value of the script as it is', 'var own = 1; own; load("assigns.js"); own + 1', 3],
  ])('%s', async (_, source, value) => {
    expect(await runner().value(source, { host })).toBe(value);
    expect(await runner().value('typeof f + typeof b', { host })).toBe('undefinedundefined');
  });

  it('shows a file the bindings of the script, and hides those that the file declares', async () => {
    const bindings = { given: {}, hidden: 1 };
    expect(await runner().value('load("sees.js"); seen + given.changed', { host, bindings })).toBe(
      'objectundefinedtrue',
    );
    expect(await runner().value('load("sees.js"); seen', { host, bindings })).toBe('objectundefined');
  });

  it('tells where in a file something failed, whichever of several it was', async () => {
    const source = 'load("fails.js");\nload("plain.js"); load("fails-at-once.js")';
    const { message, scriptStack } = (await runner().failure(source, {
      host,
      debugInfo: true,
    })) as ScriptThrownError;
    expect(message).toContain('(fails.js#2)');
    expect(scriptStack.match(/\((?!<)[^)]*/g)).toEqual([
      '(fails.js:2:23',
      '(fails-at-once.js:3:7',
      '(test.js:2:23',
    ]);
  });

  it('takes nothing that a script evaluates itself for a loaded file', async () => {
    const source = 'load("fails.js"); eval("\\n({}).a.b")';
    const { message } = (await runner().failure(source, { host, debugInfo: true })) as ScriptThrownError;
    expect(message).toContain('(test.js#1)');
  });

  it.each([
    ['what it throws', 'load("throws.js")', 'teapot'],
    ['a file that is not there', 'load("no.js")', 'No file no.js'],
    ['a file that does not compile', 'load("broken.js")', 'Unexpected token'],
    ['a path that is none', 'load(1)', 'method not found load(Number)'],
  ])('passes on %s', async (_, source, message) => {
    await expect(runner().value(source, { host })).rejects.toThrow(message);
    expect(await runner().value(`try { ${source} } catch (e) { 'caught' }`, { host })).toBe('caught');
  });
});
