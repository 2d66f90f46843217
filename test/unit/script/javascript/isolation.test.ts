import { expect, it } from 'vitest';
import { describeEngines } from './support.ts';

const DIRTY = `
  Object.prototype.planted = 1;
  Array.prototype.map = () => 'mapped';
  JSON.stringify = JSON.parse = () => 'patched';
  globalThis.leak = { deep: [1, 2, 3] };
  undeclared = 2;
  Math.random = () => 4;
  svc.read = () => 'stolen';
  delete globalThis.console;
  Object.freeze(Object.prototype);
  Promise.prototype.then = null;
  Function.prototype.call = Function.prototype.apply = null;
  Error.prototype.message = 'always';
  var fill = []; for (var i = 0; i < 20000; i++) fill.push({ i: i, text: 'secret ' + i });
  Symbol.registered = Symbol.for('planted');
  0;
`;

const SURVEY = `
  ({
    planted: ({}).planted, map: [1].map(function (x) { return x + 1 }), json: JSON.stringify({ a: 1 }),
    leak: typeof leak, undeclared: typeof undeclared, fill: typeof fill, console: typeof console.log,
    read: svc.read('x').operation, frozen: Object.isFrozen(Object.prototype), then: typeof Promise.prototype.then,
    apply: typeof Function.prototype.apply, random: Math.random() === 4, message: new Error('m').message,
    symbol: typeof Symbol.registered, globals: Object.getOwnPropertyNames(globalThis).sort().join(),
  })
`;

describeEngines('isolation of runs', (runner) => {
  it('gives every run fresh globals, whatever the run before has done', async () => {
    const clean = await runner().value(SURVEY);
    for (let round = 0; round < 5; round++) {
      await runner()
        .run(DIRTY)
        .catch(() => {});
      expect(await runner().value(SURVEY)).toEqual(clean);
    }
    expect(clean).toMatchObject({ map: [2], json: '{"a":1}', read: 'svc.read', message: 'm', random: false });
  });

  it('gives every run fresh globals after runs that ended badly', async () => {
    const clean = await runner().value(SURVEY);
    for (const end of [
      'throw new Error("x")',
      'svc.update("a", null, {}); throw { code: 400 }',
      '(function f() { f() })()',
      'for (;;) {}',
    ]) {
      await runner().failure(`${DIRTY};${end}`, { timeoutMs: 100 });
      expect(await runner().value(SURVEY)).toEqual(clean);
    }
  });

  it('does not repeat the random numbers of other runs', async () => {
    const seen = new Set<unknown>();
    for (let round = 0; round < 50; round++) seen.add(await runner().value('Math.random()'));
    expect(seen.size).toBe(50);
    const numbers = (await runner().value('Array.from({ length: 2000 }, Math.random)')) as number[];
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    expect(numbers.reduce((sum, number) => sum + number, 0) / 2000).toBeCloseTo(0.5, 1);
  });

  it('keeps top-level declarations of one run from the next', async () => {
    await runner().run('var a = 1; let b = 2; const c = 3; function d() {} class E {}');
    expect(await runner().value('[typeof a, typeof b, typeof c, typeof d, typeof E].join()')).toBe(
      'undefined,undefined,undefined,undefined,undefined',
    );
  });

  it('shows a script neither the names of the host nor those of the prelude', async () => {
    const names = String(await runner().value('Object.getOwnPropertyNames(globalThis).sort().join(" ")'));
    const ours = 'console identityServer load logger require svc';
    expect(
      names.split(' ').filter((name) => /^[a-z]/.test(name) && !/^(is|parse|en|de|un)/.test(name)),
    ).toEqual([...ours.split(' '), 'escape', 'eval', 'globalThis'].sort());
  });
});
