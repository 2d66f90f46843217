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
    expect(resolve(value)).toEqual({ value: expected, unresolved });
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
        expect(resolve(value as JsonValue)).toEqual({ value, unresolved: [] });
      }),
    );
  });
});
