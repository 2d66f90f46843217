import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { substitute } from '#config/index.ts';
import type { JsonValue } from '#json/index.ts';

const PROPERTIES: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['a', 'A'],
  ['user.country', 'fr'],
  ['svc.fr.port', '8443'],
  ['flag', true],
  ['limit', 5],
  ['yes', 'TRUE'],
  ['hosts', 'x, y z'],
  ['home', '/opt/&{a}'],
  ['self', 'x&{self}'],
  ['ping', '&{pong}'],
  ['pong', '&{ping}'],
  ['partial', 'p&{missing}'],
  ['brace', '&{'],
  ['end', '}'],
]);
const source = { get: (name: string) => PROPERTIES.get(name) };
const resolve = (value: JsonValue) => substitute(value, source);

describe('substitution', () => {
  it.each<[string, JsonValue, JsonValue, string[]]>([
    ['replaces a whole string', '&{a}', 'A', []],
    ['replaces several references in one string', '<&{a}|&{a}>', '<A|A>', []],
    ['resolves nested references from the inside', 'port &{svc.&{user.country}.port}', 'port 8443', []],
    ['keeps the type of a whole-string reference', ['&{flag}', '&{limit}'], [true, 5], []],
    ['writes other types as text inside a string', 'up to &{limit}', 'up to 5', []],
    ['reaches strings at any depth', { a: [{ b: '&{a}' }] }, { a: [{ b: 'A' }] }, []],
    ['leaves keys alone', { '&{a}': 1 }, { '&{a}': 1 }, []],
    ['leaves what has no value as it is', 'x &{b} &{a}', 'x &{b} A', ['b']],
    ['names the inner of two unresolved references', '&{svc.&{b}.port}', '&{svc.&{b}.port}', ['b']],
    [
      'keeps the written text when only the outer has no value',
      '&{svc.&{a}.port}',
      '&{svc.&{a}.port}',
      ['svc.A.port'],
    ],
    ['resolves references inside properties', '&{home}/lib', '/opt/A/lib', []],
    ['stops at a property that refers to itself', '&{self}', 'x&{self}', ['self']],
    ['stops at properties that refer to each other', '&{ping}', '&{ping}', ['ping']],
    ['resolves what it can of a property', '&{partial}', 'p&{missing}', ['missing']],
    ['does not build references out of values', '&{brace}a}', '&{a}', []],
    ['knows no escape', '\\&{a}', '\\A', []],
    ['leaves dollar references alone', '$' + '{a} &{a}', '$' + '{a} A', []],
    ['leaves an open reference alone', '&{a &{a}', '&{a A', []],
    ['leaves single signs alone', '& { } &} {&', '& { } &} {&', []],
    ['leaves other types alone', [1, null, true], [1, null, true], []],
  ])('%s', (_, value, expected, unresolved) => {
    expect(resolve(value)).toEqual({ value: expected, unresolved, mistyped: [] });
  });

  it.each<[string, JsonValue, JsonValue]>([
    ['true', { $bool: '&{yes}' }, true],
    ['false where nothing says otherwise', { $bool: '&{missing|false}' }, false],
    ['a whole number', { $int: '&{svc.fr.port}' }, 8443],
    ['a number', { $number: ' -2.5e3 ' }, -2500],
    ['a text of a number', { $string: '&{limit}' }, '5'],
    ['an array', { $array: '["&{a}", 1]' }, ['A', 1]],
    ['an object', { $object: '{"b": true}' }, { b: true }],
    ['a list', { $list: '&{hosts}' }, ['x', 'y z']],
    ['an empty list', { $list: '' }, []],
    ['what was encoded', { '$base64:decode': 'aGVsbG8=' }, 'hello'],
    ['its code', { '$base64:encode': '&{a}' }, 'QQ=='],
    ['what is inside it first', { $list: { '$base64:decode': 'YSxi' } }, ['a', 'b']],
    ['what is of the type already', [{ $bool: true }, { $int: 3 }, { $array: [1] }], [true, 3, [1]]],
    ['nothing of an object with more members', { $int: '1', b: 2 }, { $int: '1', b: 2 }],
    ['nothing of what is encrypted', { $crypto: { type: 'x' } }, { $crypto: { type: 'x' } }],
  ])('makes of a value that names its type: %s', (_, value, expected) => {
    expect(resolve(value)).toEqual({ value: expected, unresolved: [], mistyped: [] });
  });

  it('names what is not of the type that it is said to be, and leaves it', () => {
    expect(resolve({ a: [{ $int: 'many' }] })).toEqual({
      value: { a: [{ $int: 'many' }] },
      unresolved: [],
      mistyped: [{ path: ['a', 0], message: '{"$int":"many"} needs a whole number' }],
    });
    for (const wrong of [{ $bool: 'yes' }, { $number: 'x' }, { $array: '{}' }, { $object: '[' }]) {
      expect(resolve(wrong).mistyped).toHaveLength(1);
    }
    expect(resolve({ $bool: '&{missing}' })).toEqual({
      value: '&{missing}',
      unresolved: ['missing'],
      mistyped: [],
    });
  });

  it('takes the text behind a bar where a property has no value', () => {
    expect(resolve('&{missing|x}:&{a|x}:&{missing|}').value).toBe('x:A:');
    expect(resolve('&{missing|&{a}}')).toMatchObject({ value: 'A', unresolved: [] });
  });

  it('ends when properties multiply', () => {
    const bomb = { get: (name: string) => `&{${name}a}&{${name}b}` };
    expect(substitute('&{x}', bomb).unresolved.length).toBeGreaterThan(0);
  });

  it('ends quickly on any number of braces', () => {
    const open = '&{'.repeat(50_000);
    expect(resolve(open).value).toBe(open);
    expect(resolve(open + '}'.repeat(50_000)).value).toBe(open + '}'.repeat(50_000));
  });

  it('changes nothing in a value without references', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!JSON.stringify(value).includes('&{'));
        expect(resolve(value as JsonValue)).toMatchObject({ value, unresolved: [] });
      }),
    );
  });
});
