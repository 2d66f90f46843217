import { createContext, runInContext } from 'node:vm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SandboxPool } from '../../../../src/script/javascript/index.ts';
import { runs } from '../../../support/long.ts';
import { type Runner, runnerOf } from './support.ts';

let runner: Runner;
beforeAll(async () => {
  runner = runnerOf(await SandboxPool.create());
});
afterAll(() => runner.pool.close());

function evalInNode(source: string): unknown {
  const value: unknown = runInContext(source, createContext({}));
  return value === undefined ? null : (JSON.parse(JSON.stringify({ value }), undefined).value ?? null);
}

describe('the value of a script', () => {
  it.each([
    '1',
    '1;',
    '1;;',
    '',
    'var x = 1',
    '1; var x = 2;',
    '1; function f() {}',
    'function f() { return 3 }',
    'function f() { return 3 } f()',
    '1; {}',
    '{ 1; { 2 } }',
    '1, 2',
    '(1, 2)',
    '(1), (2);',
    'if (true) 1; else 2',
    'if (false) { 1 } else { 2 };',
    '1; if (false) { 2 }',
    '1; if (true) {}',
    'if (true) if (false) 1; else 2',
    'for (var i = 0; i < 3; i++) i * 2',
    '1; for (var i = 0; i < 0; i++) i',
    'for (var i = 0; i < 3; i++) { if (i < 2) i; }',
    'for (var k in { a: 1, b: 2 }) k',
    'for (const x of [1, 2, 3]) { x; if (x === 2) break; }',
    'for (const x of [1, 2, 3]) { x; if (x === 2) { 9; continue; } }',
    'var n = 0; while (n < 3) n++;',
    'do { 1; break; } while (true)',
    '1; do { break; } while (true)',
    'do { 2; if (true) { break; } } while (true)',
    'do 5\nwhile (false)',
    'switch (2) { case 1: "a"; case 2: "b"; case 3: "c"; break; default: "d" }',
    '1; switch (9) { case 1: 2 }',
    'try { 1 } finally { 2 }',
    'try { throw 1 } catch (e) { e + 1 } finally { 3 }',
    '1; try {} finally { 2 }',
    'do { try { 39 } finally { 42; break; } } while (false)',
    'do { try { 39 } finally { break; } } while (false)',
    'outer: for (var i = 0; i < 3; i++) { for (;;) { i; continue outer; } }',
    'a: b: for (;;) { 7; break a; }',
    '1; label: { 2; break label; }',
    '1; label: { break label; }',
    'with ({ x: 5 }) x',
    '1; with ({}) {}',
    '"use strict"',
    '"use strict"; var x = 1',
    '"use strict"; this === undefined',
    'var a = 1\n++a',
    'var a = [1]\na[0]',
    'a = { b: 1 }\na.b',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a script
    '`x${1 + 1}`',
    '/a/.test("a")',
    'var f = () => 1\nf()',
    'class A { static x = 4 } A.x',
    'let x = 1; { let x = 2; x }',
    'throw_: 1',
    '({ a: [1, { b: null }] })',
    'if (1) function g() { return 1 }',
    'debugger; 3',
    'async function f() {} 1',
    '1 // <!-- comment',
    '<!-- comment\n2',
    '1\n--> comment',
    '#!shebang\n3',
    'eval("1; if (true) { 2 }")',
  ])('of %j is what eval gives', async (source) => {
    if (source === '"use strict"; this === undefined') {
      // A function has no global this in strict mode; a program has.
      expect(await runner.value(source)).toBe(true);
      return;
    }
    expect(await runner.value(source)).toEqual(evalInNode(source));
  });

  it('is that of an explicit return when there is one', async () => {
    expect(await runner.value('1; if (true) { return { a: 2 } } 3')).toEqual({ a: 2 });
    expect(await runner.value('1; return;')).toBeNull();
    expect(await runner.value('return\n5')).toBeNull();
    expect(await runner.value('try { return 1 } finally { 2 }')).toBe(1);
  });

  it('is what eval gives for any nesting of statements', async () => {
    // V8 itself errs on functions in blocks and on jumps inside of a finally or of a try that throws.
    const simple = fc.constantFrom('', '42;', 'v;', ';');
    const { statement } = fc.letrec<{ statement: string; block: string }>((tie) => ({
      block: fc.array(tie('statement'), { maxLength: 3 }).map((list) => `{ ${list.join(' ')} }`),
      statement: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.nat(99).map((number) => `${number};`),
        fc.constantFrom(';', 'var v = 7;', 'v;', '1, 2;', 'v = 3\n'),
        tie('block'),
        fc.tuple(fc.boolean(), tie('block'), tie('block')).map(([c, a, b]) => `if (${c}) ${a} else ${b}`),
        fc.tuple(fc.boolean(), tie('block')).map(([c, a]) => `if (${c}) ${a}`),
        fc
          .tuple(tie('block'), fc.constantFrom('', 'break;', 'continue;'))
          .map(([body, jump]) => `for (let i = 0; i < 2; i++) { ${body} ${jump} }`),
        fc
          .tuple(tie('block'), tie('block'))
          .map(([a, b]) => `do { ${a} if (v) { break; } ${b} } while (false)\n`),
        fc.tuple(tie('block'), simple).map(([a, b]) => `try ${a} catch { } finally { ${b} }`),
        fc.tuple(simple, tie('block')).map(([a, b]) => `try { ${a} throw 1; } catch (e) ${b}`),
        fc
          .tuple(fc.nat(2), tie('block'), tie('block'))
          .map(([n, a, b]) => `switch (${n}) { case 0: ${a} case 1: ${b} break; default: }`),
        fc.tuple(tie('block'), fc.constantFrom('', 'break l;')).map(([a, jump]) => `l: { ${a} ${jump} }`),
        fc
          .tuple(tie('block'), simple)
          .map(([a, b]) => `for (const x of [1]) { try { ${a} } finally { ${b} break; } }`),
      ),
    }));
    const program = fc.array(statement, { maxLength: 4 }).map((list) => `var v; ${list.join(' ')}`);
    await fc.assert(
      fc.asyncProperty(program, async (source) => {
        // Annex B function hoisting over a label of the same name is a syntax error in both; nothing to compare.
        let expected: unknown;
        try {
          expected = evalInNode(source);
        } catch (error) {
          fc.pre((error as Error).name !== 'SyntaxError');
          throw error;
        }
        expect(await runner.value(source)).toEqual(expected);
      }),
      { numRuns: runs(500) },
    );
  });
});
