import { expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { ScriptThrownError } from '../../../../src/script/javascript/index.ts';
import { describeEngines } from './support.ts';

describeEngines('bindings and results', (runner) => {
  it('makes each binding a variable', async () => {
    const bindings = { object: { a: 1 }, name: 'x', list: [1, 2], nothing: null, flag: true };
    expect(await runner().value('[object.a, name, list.length, nothing, flag]', { bindings })).toEqual([
      1,
      'x',
      2,
      null,
      true,
    ]);
  });

  it('hands back what the script changed in a binding, and only what was asked for', async () => {
    const bindings: JsonObject = { object: { a: 1 }, other: { b: 1 }, untouched: [{ c: 1 }] };
    const result = await runner().run('object.a = 2; object.list = [1]; delete other.b; null', {
      bindings,
      returnBindings: ['object', 'untouched'],
    });
    expect(result.bindings).toEqual({ object: { a: 2, list: [1] }, untouched: [{ c: 1 }] });
    expect(bindings).toEqual({ object: { a: 1 }, other: { b: 1 }, untouched: [{ c: 1 }] });
  });

  it('keeps a binding under var, and hides it under let, const, class and patterns', async () => {
    const bindings = { object: { a: 1 }, x: 5 };
    expect(await runner().value('var object = object || {}; object.a', { bindings })).toBe(1);
    expect(await runner().value('let object = 3; object', { bindings })).toBe(3);
    expect(await runner().value('const { x, object } = { x: 1, object: 2 }; x + object', { bindings })).toBe(
      3,
    );
    expect(await runner().value('const [x = 2, ...object] = []; x', { bindings })).toBe(2);
    expect(await runner().value('class object {} typeof object', { bindings })).toBe('function');
    expect(await runner().value('function x() { return 9 } x()', { bindings })).toBe(9);
  });

  it('leaves out names that cannot be variables', async () => {
    const bindings: JsonObject = JSON.parse(
      '{"foo-bar":1,"class":2,"1a":3,"a b":4,"__proto__":5,"eval":6,"arguments":7,"x){evil()}//":8,"ok":9,"größe":10}',
    );
    expect(await runner().value('[ok, größe, __proto__]', { bindings })).toEqual([9, 10, 5]);
    expect(await runner().value('"use strict"; ok', { bindings: { ok: 1, let: 2, static: 3 } })).toBe(1);
    expect(await runner().value('eval("ok + 1")', { bindings })).toBe(10);
  });

  it('carries numbers, texts and structures over exactly', async () => {
    const numbers = [
      0, 1, -1, 2147483648, 4294967296, 9007199254740991, -9007199254740991, 1.5, 1e21, 1e-7, 5e-324,
    ];
    expect(await runner().value('n', { bindings: { n: numbers } })).toEqual(numbers);
    expect(await runner().value('Number.MAX_SAFE_INTEGER')).toBe(Number.MAX_SAFE_INTEGER);
    const texts = ['', 'é', '€', '😀', '\u0000a\u0000', '\ud800', '\u2028', '"\\', 'a'.repeat(100_000)];
    expect(await runner().value('t', { bindings: { t: texts } })).toEqual(texts);
    const odd: JsonObject = JSON.parse('{"__proto__":{"a":1},"constructor":2,"toString":3,"":4}');
    const copy = await runner().value('o', { bindings: { o: odd } });
    expect(JSON.stringify(copy)).toBe(JSON.stringify(odd));
  });

  it('makes undefined null, drops functions, and writes dates as text', async () => {
    expect(await runner().value('undefined')).toBeNull();
    expect(await runner().value('(function () {})')).toBeNull();
    expect(await runner().value('({ a: undefined, b: function () {}, c: [undefined] })')).toEqual({
      c: [null],
    });
    expect(await runner().value('new Date(0)')).toBe('1970-01-01T00:00:00.000Z');
    expect(await runner().value('NaN')).toBeNull();
  });

  it.each([
    ['var a = {}; a.a = a; a', 'circular reference'],
    ['10n', 'BigInt'],
    ['new Promise(function () {})', 'promise'],
    ['({ toJSON() { throw new Error("mine") } })', 'mine'],
  ])('refuses %s as a result, and says why', async (source, text) => {
    const error = await runner().failure(source);
    expect(error).toBeInstanceOf(ScriptThrownError);
    expect((error as Error).message).toContain(text);
    expect((error as Error).message).toContain('cannot be written as JSON');
  });

  it('keeps two scripts of the same source but other names and bindings apart', async () => {
    expect(await runner().value('typeof a + typeof b', { bindings: { a: 1 } })).toBe('numberundefined');
    expect(await runner().value('typeof a + typeof b', { bindings: { b: 'x', a: 1 } })).toBe('numberstring');
    expect(await runner().value('typeof a + typeof b')).toBe('undefinedundefined');
  });
});
