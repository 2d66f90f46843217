// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expressions of process files
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import {
  assign,
  ExpressionError,
  evaluate,
  HostObject,
  parseExpression,
  toText,
  type Value,
} from '../../../../src/workflow/expression/index.ts';
import { runs } from '../../../support/long.ts';

const VARIABLES: JsonObject = {
  name: 'Kim',
  blank: '',
  zero: 0,
  six: 6,
  text6: '6',
  yes: true,
  no: false,
  nothing: null,
  list: ['a', { p: 1 }, 3],
  none: [],
  user: { name: 'ann', mail: { home: 'a@b' }, active: true, getName: 'data' },
  constructorless: JSON.parse('{"__proto__":"own","constructor":"mine"}'),
};
const svc = new HostObject('svc', {
  properties: [['version', () => 1]],
  methods: [
    ['read', async (path = null) => ({ _id: toText(path) })],
    ['now', () => 7],
  ],
});

function evaluated(text: string): Value | Promise<Value> {
  return evaluate(parseExpression(text), {
    find: (name) => (name === 'svc' ? svc : Object.hasOwn(VARIABLES, name) ? VARIABLES[name] : undefined),
    findVariable: (name) => (Object.hasOwn(VARIABLES, name) ? VARIABLES[name] : undefined),
  });
}

const refusal = (text: string): string => {
  try {
    return `gave ${JSON.stringify(evaluated(text))}`;
  } catch (error) {
    if (error instanceof ExpressionError) return error.message;
    throw error;
  }
};

describe('what expressions give', () => {
  test.each<[string, Value]>([
    ['literal', 'literal'],
    ['', ''],
    ['PT10M', 'PT10M'],
    ['${name}', 'Kim'],
    ['#{name}', 'Kim'],
    ['Hello ${name}, ${six}!', 'Hello Kim, 6!'],
    ['${nothing}x', 'x'],
    ["${name=='Kim'}", true],
    ["${name!='Kim'}", false],
    ['${yes}', true],
    ['${!yes}', false],
    ['${not no}', true],
    ['${yes && no}', false],
    ['${yes and yes}', true],
    ['${no or yes}', true],
    ['${no || no}', false],
    ['${nothing == null}', true],
    ['${empty list}', false],
    ['${empty none}', true],
    ['${empty nothing and empty blank}', true],
    ['${user.mail.home}', 'a@b'],
    ["${user['name']}", 'ann'],
    ['${list[1].p}', 1],
    ['${list[9]}', null],
    ['${nothing.a.b}', null],
    ['${user.absent}', null],
    ['${six + 1}', 7],
    ['${six - 1}', 5],
    ['${six * 2}', 12],
    ['${six / 4}', 1.5],
    ['${six div 2}', 3],
    ['${six % 4}', 2],
    ['${six mod 4}', 2],
    ['${-six}', -6],
    ['${1 + 2 * 3}', 7],
    ['${(1 + 2) * 3}', 9],
    ['${10 - 3 - 2}', 5],
    ["${'1' + 2}", 3],
    ['${nothing + 1}', 1],
    ['${six == text6}', true],
    ['${six eq 6.0}', true],
    ['${six ne 7}', true],
    ['${text6 < 10}', true],
    ['${six lt 7 && six gt 5}', true],
    ['${six le 6 && six ge 6}', true],
    ["${'a' < 'b'}", true],
    ['${nothing < 1}', false],
    ['${yes == true}', true],
    ['${1.5e1}', 15],
    ['${.5}', 0.5],
    ["${yes ? 'a' : 'b'}", 'a'],
    ["${no ? 'a' : yes ? 'b' : 'c'}", 'b'],
    ["${'it\\'s'}", "it's"],
    ['${"}"}', '}'],
    ["${name.concat('!').toUpperCase()}", 'KIM!'],
    ['${name.length()}', 3],
    ["${name.equals('Kim')}", true],
    ["${name.equalsIgnoreCase('KIM')}", true],
    ["${name.contains('i') && name.startsWith('K') && name.endsWith('m')}", true],
    ['${name.substring(1)}', 'im'],
    ['${name.substring(0, 1)}', 'K'],
    ["${name.indexOf('m')}", 2],
    ["${' a '.trim()}", 'a'],
    ["${'a,b'.split(',')}", ['a', 'b']],
    ["${'a.b.c'.replace('.', '-')}", 'a-b-c'],
    ['${name.toLowerCase()}', 'kim'],
    ['${blank.isEmpty()}', true],
    ['${list.size()}', 3],
    ["${list.contains('a')}", true],
    ['${list.get(2)}', 3],
    ['${none.isEmpty()}', true],
    ['${user.size()}', 4],
    ["${user.get('name')}", 'ann'],
    ["${user.containsKey('x')}", false],
    ['${user.mail.keySet()}', ['home']],
    ['${user.mail.values()}', ['a@b']],
    ['${user.getMail()}', { home: 'a@b' }],
    ['${user.isActive()}', true],
    ['${six.toString()}', '6'],
    ['${vars:get(name)}', 'Kim'],
    ['${var:get(absent)}', null],
    ['${variables:getOrDefault(absent, 5)}', 5],
    ['${vars:exists(absent)}', false],
    ["${vars:exists('name')}", true],
    ['${vars:empty(none)}', true],
    ['${vars:isEmpty(absent)}', true],
    ['${vars:notEmpty(name)}', true],
    ["${vars:eq(name, 'Kim')}", true],
    ["${vars:notEquals(absent, 'x')}", true],
    ['${vars:contains(list, 3)}', true],
    ['${vars:containsAny(list, 9, 3)}', true],
    ['${vars:lt(six, 7)}', true],
    ['${vars:lessThan(absent, 7)}', false],
    ['${vars:lte(six, 6)}', true],
    ['${vars:gt(six, 5)}', true],
    ['${vars:greaterThanOrEquals(six, 6)}', true],
    ['${vars:base64(name)}', 'S2lt'],
    ['${svc.version}', 1],
    ['${svc.now() + 1}', 8],
  ])('%s', (text, value) => {
    expect(evaluated(text)).toEqual(value);
  });

  test('a task by its id, now or later', async () => {
    const scope = {
      find: (name: string) => (name === 'id' ? 't1' : undefined),
      findVariable: () => undefined,
      findTask: async (id: string) => ({ id, assignee: 'ann' }),
    };
    expect(await evaluate(parseExpression("${task:get(id).assignee == 'ann' ? id : null}"), scope)).toBe(
      't1',
    );
    expect(evaluated("${task:get('t1')}")).toBeNull();
    expect(refusal("${task:find('t1')}")).toContain("unknown function 'task:find'");
    expect(refusal('${task:get()}')).toContain('unknown function');
  });

  test('a value put into a place', async () => {
    const find = (name: string) => (name === 'user' ? { mail: { home: 'a@b' } } : undefined);
    const put = (text: string) => assign(parseExpression(text), 'new', { find, findVariable: find });
    expect(await put('#{x}')).toEqual({ name: 'x', value: 'new' });
    expect(await put("${user.mail['home']}")).toEqual({ name: 'user', value: { mail: { home: 'new' } } });
    expect(await put('${other.a.b}')).toEqual({ name: 'other', value: { a: { b: 'new' } } });
    expect(await put('${user.__proto__.polluted}')).toEqual({
      name: 'user',
      value: JSON.parse('{"mail":{"home":"a@b"},"__proto__":{"polluted":"new"}}'),
    });
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
    for (const text of ['x', '${1}', 'a ${x}', '${x.y()}', '${a + b}']) {
      await expect(put(text)).rejects.toThrow('is no place for a value');
    }
    await expect(put('${user.mail.home.deeper}')).rejects.toMatchObject({ code: 400 });
  });

  test('only a method that answers later makes it wait', async () => {
    expect(evaluated('${svc.now()}')).toBe(7);
    const later = evaluated(
      "${svc.read('managed/user/'.concat(user.name))._id == 'managed/user/ann' ? 'found' : 'lost'}",
    );
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toBe('found');
    expect(await evaluated("Hi ${svc.read('x')._id}${name}")).toBe('Hi xKim');
  });

  test('a side that does not matter is not looked at', () => {
    expect(evaluated('${no && absent}')).toBe(false);
    expect(evaluated('${yes || absent}')).toBe(true);
    expect(evaluated('${yes ? 1 : absent}')).toBe(1);
  });
});

describe('what they refuse', () => {
  test.each([
    ['${absent}', "unknown name 'absent' (at character 3)"],
    ['a ${name', 'no closing brace'],
    ['${}', "has '}' where a name is expected"],
    ['${1 +}', 'where a name is expected (at character 6)'],
    ["${'a}", 'without a closing quote'],
    ['${a # b}', "unexpected '#'"],
    ['${(1}', "where ')' is expected"],
    ['${foo(1)}', 'without a prefix'],
    ['${vars:nope(a)}', "unknown function 'vars:nope'"],
    ['${nothing.size()}', "calls 'size' on null"],
    ["${'x' + 1}", "takes the string 'x' for a number"],
    ['${six / 0}', 'divides by zero'],
    ['${list.get(7)}', 'element 7 of 3'],
    ['${name.shout()}', "unknown method 'shout'"],
    ['${svc.drop()}', "unknown method 'drop' of 'svc'"],
    ['${svc.secret}', "unknown property 'secret'"],
    ["${'\\n'}", 'backslash'],
    ['${list < 3}', 'takes a list for a number'],
    ['${!list}', 'takes a list for a truth value'],
    ['${a = 1}', "unexpected '='"],
  ])('%s', (text, message) => {
    expect(refusal(text)).toContain(message);
  });

  test('says the position and the nearest name', () => {
    try {
      evaluated('${six + name.lenght()}');
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ position: 12, detail: { hint: "Did you mean 'length'?" } });
    }
  });

  test('texts and nesting without end', () => {
    expect(refusal(`\${${'('.repeat(400)}1${')'.repeat(400)}}`)).toContain('nested too deeply');
    expect(refusal(`\${${'!'.repeat(500)}yes}`)).toContain('nested too deeply');
    expect(refusal(`\${1${'+1'.repeat(4900)}}`)).toContain('more than 1000 parts');
    expect(refusal(`\${user${'.name'.repeat(1900)}}`)).toContain('more than 1000 parts');
    expect(evaluated(`\${1${'+1'.repeat(490)}}`)).toBe(491);
    expect(refusal(`\${'${'a'.repeat(20_000)}'}`)).toContain('more than 10000');
    expect(refusal(`\${yes ${'? yes : yes '.repeat(200)}}`)).toContain('nested too deeply');
  });
});

describe('attacks', () => {
  const holders = ['name', 'six', 'yes', 'list', 'user', 'svc', "''", '(1)', 'svc.now()', "''.split('')"];
  const names = [
    'constructor',
    '__proto__',
    'prototype',
    '__defineGetter__',
    '__lookupGetter__',
    'hasOwnProperty',
    'valueOf',
    'call',
    'apply',
    'bind',
    'caller',
    'then',
  ];

  test.each(holders.flatMap((holder) => names.map((name) => [holder, name])))(
    '%s does not lead to %s',
    (holder, name) => {
      for (const text of [
        `\${${holder}.${name}}`,
        `\${${holder}['${name}']}`,
        `\${${holder}['${name.slice(0, 3)}'.concat('${name.slice(3)}')]}`,
      ]) {
        const result = refusal(text);
        expect(result === 'gave null' || result.includes('unknown property')).toBe(true);
      }
      expect(refusal(`\${${holder}.${name}()}`)).toMatch(/unknown method/);
      expect(refusal(`\${${holder}.${name}.${name}('return process')()}`)).toMatch(
        /has '\(' where|unknown|on null/,
      );
    },
  );

  test('data of such names is data', () => {
    expect(evaluated('${constructorless.__proto__}')).toBe('own');
    expect(evaluated("${constructorless['constructor']}")).toBe('mine');
    expect(evaluated("${user.get('constructor')}")).toBeNull();
    expect(evaluated("${user.containsKey('toString')}")).toBe(false);
  });

  test('names of the surroundings are unknown', () => {
    for (const name of [
      'process',
      'globalThis',
      'require',
      'this',
      'Object',
      'Function',
      'constructor',
      '__proto__',
      'arguments',
      'eval',
    ]) {
      expect(refusal(`\${${name}}`)).toContain('unknown name');
      expect(evaluated(`\${vars:get(${name})}`)).toBeNull();
    }
  });

  test.each([
    ["${name.replace('', big)}", 'makes a text of more than'],
    ["${big.replace('x', big)}", 'makes a text of more than'],
    [
      '${big.concat(big).concat(big).concat(big).concat(big).concat(big).concat(big)}',
      'makes a text of more than',
    ],
    ['${1e308 * 10}', 'gives no finite number'],
    ['${-1e308 - 1e308}', 'gives no finite number'],
    ["${'1e999' + 0}", 'gives no finite number'],
  ])('%s neither fills the memory nor leaves the numbers', (text, message) => {
    const big = 'x'.repeat(2_000_000);
    const find = (name: string) => ({ name: 'Kimberly', big })[name];
    expect(() => evaluate(parseExpression(text), { find, findVariable: find })).toThrow(message);
  });

  test('any text gives a value or an ExpressionError, and no function ever', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ...names,
        'name',
        'svc',
        'user',
        '.',
        '[',
        ']',
        '(',
        ')',
        "'",
        '?',
        ':',
        '+',
        '==',
        '${',
        '}',
        'vars:',
        'empty ',
        '!',
        ',',
        '1',
      ),
      fc.string({ maxLength: 3 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        try {
          const value = await evaluated(`\${${pieces.join('')}}`);
          expect(typeof value).not.toBe('function');
        } catch (error) {
          expect(error).toBeInstanceOf(ExpressionError);
        }
      }),
      { seed: 1, numRuns: runs(2000) },
    );
  });
});
