import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { GroovyPool } from '../../../src/script/groovy-pool.ts';
import { compiledGroovy } from '../../../src/script/groovy-scripts.ts';
import { ScriptSyntaxError, ScriptThrownError } from '../../../src/script/javascript/index.ts';

let pool: GroovyPool;
beforeAll(async () => {
  pool = await GroovyPool.create();
});
afterAll(() => pool.close());

async function failure(source: string, bindings: JsonObject = {}) {
  const script = { name: 'hook.groovy', source };
  try {
    await pool.run({ script, bindings, host: async () => null, timeoutMs: 120_000, debugInfo: true });
  } catch (error) {
    if (error instanceof ScriptThrownError)
      return { ...error.position!, message: error.message, trace: error.scriptStack };
    if (error instanceof ScriptSyntaxError)
      return { line: error.line, column: error.column, message: error.message };
    throw error;
  }
  throw new Error('It did not fail');
}

describe('the place of an error in Groovy', () => {
  test.each([
    ['a method', 'def f(x) {\n  x.foo()\n}\n\nf(1)', 2, 4],
    ['a closure', '[1, 2].each {\n  if (it == 2)\n    throw new Exception("two")\n}', 3, 11],
    ['a property of null', 'def m = null\n\nm.x', 3, 2],
    ['a division', 'int x = 5\ndef y = x / 0', 2, undefined],
    ['a class', 'class A {\n  def go() { nope }\n}\nnew A().go()', 2, 14],
    ['a name', 'def a = 1\na + unknown', 2, 5],
    ['a text', `def a = null\n"x \${1 +\n  a.b}"`, 3, 4],
    ['a library method', 'def a = 1\nInteger.parseInt("x")', 2, undefined],
    ['an assertion', '\nassert 1 == 2', 2, 1],
    ['a cast', '\nint x = "abc"', 2, undefined],
  ])('is its line and column: %s', async (_where, source, line, column) => {
    const found = await failure(source);
    expect(found).toMatchObject({ fileName: 'hook.groovy', line });
    if (column !== undefined) expect(Math.abs(found.column - column)).toBeLessThanOrEqual(1);
    expect(found.message).toMatch(new RegExp(`\\(hook\\.groovy#${line}\\)$`));
  });

  test('has a trace in the words of the script', async () => {
    const found = await failure('def inner(x) {\n  x.y\n}\ndef outer() {\n  inner(null)\n}\nouter()');
    expect('trace' in found && found.trace.split('\n')).toEqual([
      expect.stringMatching(/^at inner \(hook\.groovy:2:\d+\)$/),
      expect.stringMatching(/^at outer \(hook\.groovy:5:\d+\)$/),
      expect.stringMatching(/^at <anonymous> \(hook\.groovy:7:\d+\)$/),
    ]);
  });
});

describe('what is not supported is refused before anything runs', () => {
  test.each([
    ['an unfinished text', 'def a = "abc', 1, /never closed/],
    ['an unknown class', 'def a = 1\ndef b = new Foo()', 2, /unable to resolve class Foo/],
    [
      'an unknown class by its full name',
      '\njava.nio.file.Files.exists(null)',
      2,
      /unable to resolve class java\.nio\.file\.Files/,
    ],
    [
      'an unknown import that is used',
      'import com.example.Thing\nnew Thing()',
      1,
      /unable to resolve class com\.example\.Thing/,
    ],
    [
      'an unknown class in a catch',
      'try { 1 }\ncatch (SQLException e) { }',
      2,
      /unable to resolve class SQLException/,
    ],
    ['an unknown static method', 'Math.cube(2)', 1, /no static method cube\(\)/],
    ['an unknown static field', 'Math.TAU', 1, /no static field TAU/],
    ['an unknown annotation', '@AutoClone class A { }', 1, /annotation @AutoClone/],
    ['a trait', 'trait T { }', 1, /trait/i],
    ['a variable declared twice', 'def a = 1\ndef a = 2', 2, /already contains a variable of the name a/],
    ['break without a loop', 'break', 1, /break/],
    ['an abstract class', 'abstract class A { }\nnew A()', 2, /abstract class/],
    ['a class inside a method', 'def f() {\n  class A { }\n}', 2, /class cannot be declared inside a method/],
    [
      'a method inside a method',
      'def f() {\n  def g() { 1 }\n}',
      2,
      /method cannot be declared inside another/,
    ],

    ['a trait', 'trait T { }', 1, /trait/],
    [
      'a class that a sealed one does not permit',
      'sealed class S permits A { }\nclass A extends S { }\nclass B extends S { }',
      3,
      /not a permitted subclass/,
    ],
    ['a lazy variable of a script', '\n@Lazy def x = 1', 2, /fields of classes only/],
    ['an annotation of its own', '@interface A { }', 1, /Annotations cannot be declared/],
    ['two methods alike', 'def f(a) { 1 }\ndef f(b) { 2 }', 2, /method f\(\) duplicates another/],
    ['two constructors alike', 'class A {\n  A(int x) { }\n  A(int y) { }\n}', 3, /constructor duplicates/],
    ['a property declared twice', 'class A {\n  int x\n  String x\n}', 3, /'x' is declared multiple times/],
    [
      'a method left out',
      'interface I { def f() }\nclass A implements I { }',
      2,
      /f\(\) of 'I' must be impl/,
    ],
    ['a method without a body', 'class A {\n  def f()\n}', 2, /f\(\) has no body/],
    [
      'an abstract method of a class that is none',
      'class A {\n  abstract f()\n}',
      2,
      /must be declared abstract/,
    ],
    ['a final parent', 'final class A { }\nclass B extends A { }', 2, /extend the final class 'A'/],
    [
      'a final method',
      'class A { final f() { 1 } }\nclass B extends A {\n  def f() { 2 }\n}',
      3,
      /final method f/,
    ],
    ['an interface as parent', 'interface I { }\nclass A extends I { }', 2, /use implements/],
    ['a class as interface', 'class A { }\nclass B implements A { }', 2, /use extends/],
    ['cases of two kinds', "switch (1) {\n  case 1 -> 'a'\n  case 2: 'b'\n}", 3, /not both/],
    ['a parameter declared twice', 'def f(a, a) { a }', 1, /already contains a variable of the name a/],
    ['continue without a loop', '\ncontinue', 2, /continue/],
    ['an unknown class of a variable', '\nFoo x = null', 2, /unable to resolve class Foo/],
    ['an unknown class of a parameter', '\ndef f(Foo x) { }', 2, /unable to resolve class Foo/],
    ['an unknown class of a method', '\nFoo f() { null }', 2, /unable to resolve class Foo/],
    ['an unknown class in a cast', 'def x = 1\n(Foo) x', 2, /unable to resolve class Foo/],
    ['an unknown class behind as', 'def x = 1\nx as Foo', 2, /unable to resolve class Foo/],
    ['an unknown class behind instanceof', 'def x = 1\nx instanceof Foo', 2, /unable to resolve class Foo/],
    ['an unknown parent', '\nclass A extends Foo { }', 2, /unable to resolve class Foo/],
    ['a jump', 'goto x', 1, /goto|unexpected|resolve/i],
    ['a final variable that changes', 'final a = 1\na = 2', 2, /final/],
  ])('%s', async (_what, source, line, message) => {
    const found = await failure(source);
    expect([found.line, found.message]).toEqual([line, expect.stringMatching(message)]);
    expect(found.message).toMatch(/@ line \d+, column \d+\./);
  });

  test.each('AutoClone AutoImplement NamedVariant NullCheck Mixin ASTTest Sealed IndexedProperty'.split(' '))(
    'the annotation %s',
    async (name) => {
      const found = await failure(`\n@groovy.transform.${name} class A { }`);
      expect([found.line, found.message]).toEqual([
        2,
        expect.stringContaining(`The annotation @${name} is not`),
      ]);
    },
  );

  test('with what to write instead', async () => {
    expect((await failure('"ls".execute()')).message).toMatch(/Scripts cannot start programs/);
    expect((await failure('System.exit(0)')).message).toMatch(/ends with return or throw/);
    expect((await failure('@Grab("a:b:1")\nimport a.B')).message).toMatch(/not supported|not available/i);
  });
});

test('a text is parsed once, whoever asks for it and under whatever name', () => {
  const source = 'def once = 41\nonce + 1';
  const checked = compiledGroovy({ name: 'checked.groovy', source });
  expect(compiledGroovy({ name: 'run.groovy', source })).toBe(checked);
  expect(compiledGroovy({ name: 'checked.groovy', source: `${source} ` })).not.toBe(checked);
});
