import { describe, expect, it } from 'vitest';
import { insteadOfCalling } from '../../../../src/script/javascript/called-function.ts';
import { ScriptThrownError } from '../../../../src/script/javascript/index.ts';
import { describeEngines } from './support.ts';

describeEngines('habits of Java in JavaScript', (runner) => {
  it.each([
    ['[1, 2].size()', 2],
    ['[].isEmpty()', true],
    ['[1, 2].toArray()', [1, 2]],
    ['[1, [2]].equals([1, [2]])', true],
    ['[1, 2].equals([2, 1])', false],
    ['["a"].contains("a")', true],
    ['var i = ["a", "b"].iterator(), r = []; while (i.hasNext()) r.push(i.next()); r', ['a', 'b']],
    ['"".isEmpty()', true],
    ['"a".equals("a") && !"a".equals("b")', true],
    ['"Ab".equalsIgnoreCase("aB")', true],
    ['"abc".contains("b")', true],
    [
      'var p = "managed/user/a%2Fb"; [p.head(2), p.tail(1), p.parent(), p.leaf(), p.size()]',
      ['managed/user', 'user/a%2Fb', 'managed/user', 'a/b', 3],
    ],
    ['["".leaf(), "".parent(), "".size(), "a%".leaf()]', ['', '', 0, 'a%']],
    ['(5).equals(5) && true.equals(true)', true],
  ])('%s', async (source, value) => {
    expect(await runner().value(source)).toEqual(value);
  });

  it('add nothing that a loop, JSON or the result of a script would show', async () => {
    const source = `var names = [];
      for (var name in [7]) names.push(name);
      for (var key in 'x') names.push(key);
      ({ names: names, keys: Object.keys([7]), json: JSON.stringify([7]), object: 'size' in {}, list: [7] })`;
    expect(await runner().value(source)).toEqual({
      names: ['0', '0'],
      keys: ['0'],
      json: '[7]',
      object: false,
      list: [7],
    });
  });

  it.each([
    [
      'var user = { roles: {} };\nuser.roles.size()',
      'user.roles.size is not a function; write Object.keys(user.roles).length',
    ],
    ['var o = {};\n  o.nothing(1)', 'o.nothing is not a function'],
    ['function f(o) { return o.a.b.c(); }\nf({ a: { b: 1 } })', 'o.a.b.c is not a function'],
    ['var f = 1; f()', 'f is not a function'],
    ['var o = { a: 1 }; new o.a()', 'o.a is not a function'],
    [
      'var list = [{}];\nlist[0].containsKey("x")',
      'list[0].containsKey is not a function; write name in list[0]',
    ],
    ['[1].forEach(function (x) {\n  x.y(2)\n})', 'x.y is not a function'],
  ])('%j names what is no function', async (source, message) => {
    const error = await runner().failure(source);
    expect(error).toBeInstanceOf(ScriptThrownError);
    expect((error as ScriptThrownError).message).toBe(`TypeError: ${message}`);
    expect((error as ScriptThrownError).position).toMatchObject({ fileName: 'test.js' });
  });

  it('leave what a script throws itself as it is', async () => {
    const error = (await runner().failure(
      'throw new TypeError("not a function at all")',
    )) as ScriptThrownError;
    expect(error.message).toBe('TypeError: not a function at all');
  });
});

describe('advice about methods of Java', () => {
  it('is given in terms of the value in front of the method', () => {
    expect(insteadOfCalling('object.roles.put')).toBe('object.roles[name] = value');
    expect(insteadOfCalling('object.roles.bake')).toBeUndefined();
    expect(insteadOfCalling('size')).toBeUndefined();
  });
});
