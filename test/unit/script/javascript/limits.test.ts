import { expect, it } from 'vitest';
import { ScriptLimitError } from '../../../../src/script/javascript/index.ts';
import { describeEngines } from './support.ts';
import '../../../support/takes-long.ts';

const TIME = { timeoutMs: 60 };

// Needing the watchdog of the thread's owner, because QuickJS never asks in between, are among others
// `Array(1e9).join()`, `[].indexOf` over a huge sparse array, and `'x'.repeat(1e7).indexOf(…)` in a loop.
describeEngines(
  'limits',
  (runner) => {
    it.each([
      'for (;;) {}',
      'while (true) { try { while (true) {} } catch (e) {} }',
      'for (;;) { try { for (;;) {} } finally { continue } }',
      'var f = function () { try { for (;;) {} } catch (e) { f() } finally { f() } }; f()',
      'function* g() { for (;;) yield 1 } for (var x of g()) {}',
      '/^(a+)+$/.test("a".repeat(40) + "b")',
      'for (;;) [3, 1, 2].sort(function (a, b) { return a - b })',
      'for (;;) JSON.parse(JSON.stringify({ a: [1, 2, 3] }))',
      'for (;;) { try { svc.read("x") } catch (e) {} }',
      'var o = { get x() { for (;;) {} } }; o.x',
      'throw { get message() { for (;;) {} } }',
      '({ toJSON: function () { for (;;) {} } })',
      'new Proxy({}, { get: function () { for (;;) {} } }).x',
      'for (;;) console.log("x")',
      // Promises swallow the interrupt of the code in them.
      'async function f() { for (;;) {} } for (;;) f()',
      'for (;;) new Promise(function () { for (;;) {} })',
      'function f() { try { return new Promise(f) } finally { new Promise(f) } } f()',
      '(function f() { Promise.resolve().then(f) })(); for (;;) {}',
      'for (var x of { [Symbol.iterator]: function () { return { next: function () { for (;;) {} }, return: function () { for (;;) {} } } } });',
      // Each overflow of the stack is a step that costs half a millisecond.
      'var o = { get x() { try { return o.x } finally { o.x } } }; o.x',
      'var p = new Proxy({}, { get: function (t, k, r) { try { return r[k] } finally { r[k] } } }); p.x',
      'var o = { valueOf: function () { try { return +o } finally { +o } } }; +o',
      'function f() { try { return [1, 2].sort(f) } finally { [2, 1].sort(f) } } f()',
      'function f() { try { JSON.parse("[1]", f) } finally { JSON.parse("[1]", f) } } f()',
      'function* g() { try { yield* g() } finally { yield* g() } } Array.from(g())',
      'for (;;) "x".repeat(1e6).indexOf("y")',
    ])('end %s in time', async (source) => {
      const error = await runner().failure(source, TIME);
      expect(error).toMatchObject({ name: 'ScriptLimitError', limit: 'time' });
      expect(await runner().value('1 + 1')).toBe(2);
    });

    it('end a run that waits for the host in time, without waiting for the answer', async () => {
      const { discarded } = runner().pool.stats;
      const error = await runner().failure('svc.read("x")', { ...TIME, host: () => new Promise(() => {}) });
      expect(error).toMatchObject({ limit: 'time', message: 'The script did not end within 60 ms' });
      expect(runner().pool.stats.discarded).toBe(discarded + 1);
      expect(await runner().value('1 + 1')).toBe(2);
    });

    it.each([
      'function f() { return f() } f()',
      'function f() { try { return f() } finally { f() } } f()',
      'function f() { JSON.parse("[1]", f) } f()',
      'var o = { toString: function () { return "" + o } }; "" + o',
      'function f() { return [1, 2].sort(f) } f()',
      'var p = new Proxy({}, { get: function (t, k, r) { return r[k] } }); p.x',
      'function f() { return "a".replace(/a/, f) } f()',
      'class A { get x() { return new A().x } } new A().x',
      'var a = []; a[0] = a; a.flat(Infinity)',
      'var a = []; a[0] = a; String(a)',
      'var a = []; for (var i = 0; i < 200000; i++) a = [a]; a',
      'eval("(".repeat(50000))',
      'var f = function (x) { return x }; for (var i = 0; i < 100000; i++) f = f.bind(null); f(1)',
    ])('end the recursion of %s', async (source) => {
      const error = await runner().failure(source, { timeoutMs: 400 });
      expect(error).toBeInstanceOf(ScriptLimitError);
      expect(['stack', 'memory', 'time']).toContain((error as ScriptLimitError).limit);
      expect(await runner().value('1 + 1')).toBe(2);
    });

    it('say that it was the stack', async () => {
      expect(await runner().failure('function f() { return f() + 1 } f()')).toMatchObject({ limit: 'stack' });
      expect(await runner().value('function f(n) { return n ? 1 + f(n - 1) : 0 } f(300)')).toBe(300);
      expect(await runner().value('function f() { f() } try { f() } catch (e) { "caught" }')).toBe('caught');
    });

    it.each([
      'var s = "x".repeat(1000); for (;;) s += s',
      'var a = []; for (;;) a.push(new Array(10000).fill(1))',
      'var a = []; for (;;) a.push(new ArrayBuffer(1e6))',
      'new ArrayBuffer(1e9)',
      'var m = new Map(); for (var i = 0; ; i++) m.set(i, { i: i })',
      'var a = [1]; for (var i = 0; i < 30; i++) a = [a, a]; a',
      'var a = []; for (;;) { try { for (;;) a.push(new Uint8Array(1e6)) } catch (e) { throw e } }',
    ])('end the allocations of %s', async (source) => {
      const error = await runner().failure(source, { timeoutMs: 120_000 });
      expect(error).toMatchObject({
        name: 'ScriptLimitError',
        limit: 'memory',
        message: expect.stringMatching(/used more memory than it may \(\d+ MiB\)/),
      });
      expect(await runner().value('1 + 1')).toBe(2);
    });

    it('end an answer of the host for which there is no room', async () => {
      const error = await runner().failure('svc.read("x")', { host: async () => 'x'.repeat(10_000_000) });
      expect(error).toMatchObject({ limit: 'memory' });
      expect(await runner().failure('b', { bindings: { b: 'x'.repeat(10_000_000) } })).toMatchObject({
        limit: 'memory',
      });
      expect(await runner().value('1 + 1')).toBe(2);
    });

    it('refuse a result that is too large', async () => {
      expect(await runner().failure('"x".repeat(1100000)')).toMatchObject({
        limit: 'result',
        message: expect.stringContaining('1100'),
      });
      expect(
        await runner().failure('o.x = "x".repeat(1100000); 1', {
          bindings: { o: {} },
          returnBindings: ['o'],
        }),
      ).toMatchObject({
        limit: 'result',
      });
      expect(String(await runner().value('"x".repeat(1000000)'))).toHaveLength(1_000_000);
    });
  },
  { memoryLimitBytes: 4_194_304, resultLimitBytes: 1_048_576 },
);

describeEngines(
  'many scripts',
  (runner) => {
    it('do not fill the instance for good', async () => {
      for (let n = 0; n < 700; n++) expect(await runner().value(`${n} + 1`)).toBe(n + 1);
      expect(runner().pool.stats.discarded).toBe(0);
      expect(runner().pool.stats.created).toBe(1);
    });

    it('are compiled once each, however often they take turns', async () => {
      const { pool, value } = runner();
      const before = pool.stats.compiled;
      for (let round = 0; round < 2; round++) {
        for (let n = 0; n < 1_200; n++) expect(await value(`${n} * 2`)).toBe(n * 2);
      }
      expect(pool.stats.compiled - before).toBe(1_200);
    });

    it('of one text are compiled once, and each fails under its own name', async () => {
      const { pool, run } = runner();
      const before = pool.stats.compiled;
      for (const name of ['one.js', 'other.js']) {
        const source = 'var text = "shared by many";\nnothing.here';
        const failed = run(source, { script: { name, source } });
        await expect(failed).rejects.toMatchObject({ position: { fileName: name, line: 2 } });
      }
      expect(pool.stats.compiled - before).toBe(1);
    });
  },
  { size: 1, maxSize: 1 },
);
