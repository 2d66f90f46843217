import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonValue } from '#json/index.ts';
import { runs } from '../../../support/long.ts';
import { describeEngines, type Host } from './support.ts';

const delayed: Host = (_operation, args) =>
  new Promise((resolve) => setImmediate(() => resolve(args as JsonValue)));

/** What the WebAssembly engine has to do right so that a host call looks like a plain function call to a script. */
describeEngines('the suspension of a script', (runner, engine) => {
  it('carries any JSON there and back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (json) => {
        const given = JSON.parse(JSON.stringify(json)) as JsonValue;
        const source = 'svc.create("p", null, { given: given })[2].given';
        expect(await runner().value(source, { host: delayed, bindings: { given } })).toEqual(given);
      }),
      { numRuns: runs(60) },
    );
  });

  it('carries large texts of every kind', async () => {
    const text = 'ä🙂\u2028\0"\\'.repeat(20_000);
    const source = 'svc.create("p", null, { text: text })[2].text === text';
    expect(await runner().value(source, { host: delayed, bindings: { text } })).toBe(true);
  });

  it('keeps what was going on: locals, loops, try and finally, generators, getters, callbacks of natives', async () => {
    const source = `
      var log = [];
      function* walk() { for (var i = 0; i < 3; i++) { try { yield svc.read('g' + i)[0] } finally { log.push('f' + i) } } }
      var o = { get there() { return svc.read('getter')[0] }, toJSON: function () { return svc.read('json')[0] } };
      for (var name of walk()) log.push(name);
      log.push([2, 1].map(function (n) { return svc.read('m' + n)[0] }).join());
      log.push(['b', 'a'].sort(function (a, b) { svc.read('s'); return a < b ? -1 : 1 }).join(''));
      log.push('x-y'.replace(/\\w/g, function (c) { return svc.read(c)[0] + '!' }));
      log.push(o.there, JSON.stringify(o));
      log.push(Array.from({ length: 2 }, function (_, i) { return svc.read('a' + i)[0] }).join());
      log.push(new Proxy({}, { get: function (t, key) { return svc.read(key)[0] } }).proxied);
      log`;
    expect(await runner().value(source, { host: delayed })).toEqual([
      'g0',
      'f0',
      'g1',
      'f1',
      'g2',
      'f2',
      'm2,m1',
      'ab',
      'x!-y!',
      'getter',
      '"json"',
      'a0,a1',
      'proxied',
    ]);
  });

  it('passes refusals on as exceptions, again and again', async () => {
    const host: Host = (_operation, args) =>
      new Promise((_resolve, reject) => setImmediate(() => reject(new Error(String(args[0])))));
    const source = `
      var caught = 0;
      for (var i = 0; i < 50; i++) { try { svc.update('x' + i, null, {}) } catch (e) { caught += e.code === 500 ? 1 : 0 } }
      caught`;
    expect(await runner().value(source, { host })).toBe(50);
  });

  it('works deep inside the stack of the script', async () => {
    const source =
      'function down(n) { return n === 0 ? svc.read("deep")[0].length : down(n - 1) + 1 } down(150)';
    expect(await runner().value(source, { host: delayed })).toBe(154);
  });

  it('can happen thousands of times in one run', async () => {
    const calls = engine === 'jspi' ? 5_000 : 1_000;
    const source =
      'var n = 0; for (var i = 0; i < calls; i++) n += svc.read("x" + i)[0].length > 1 ? 1 : 0; n';
    const host: Host = async (_operation, args) => args;
    expect(await runner().value(source, { host, bindings: { calls } })).toBe(calls);
  });

  it('is answered at once as well as late', async () => {
    const host: Host = (_operation, args) =>
      String(args[0]).endsWith('0') ? Promise.resolve(args as JsonValue) : delayed('', args);
    const source = 'var t = ""; for (var i = 0; i < 30; i++) t += svc.read("k" + i)[0]; t.length';
    expect(await runner().value(source, { host })).toBe(30 + 10 + 40);
  });
});
