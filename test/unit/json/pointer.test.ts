import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  equalJson,
  formatPointer,
  getAt,
  type JsonObject,
  parsePointer,
  removeAt,
  setAt,
} from '#json/index.ts';

describe('a JSON pointer', () => {
  it.each<[string, readonly string[]]>([
    ['', []],
    ['/', []],
    ['a', ['a']],
    ['/a/b', ['a', 'b']],
    ['a/b/', ['a', 'b']],
    ['/a%2Fb/c%20d', ['a/b', 'c d']],
    ['/~1', ['~1']],
    ['/0', ['0']],
  ])('%j addresses %j', (text, tokens) => {
    expect(parsePointer(text)).toEqual(tokens);
  });

  it.each(['/a%zz', '/a~2', 'a~'])('with a broken escape is refused with its text: %s', (text) => {
    expect(() => parsePointer(text)).toThrow(
      expect.objectContaining({ code: 400, message: expect.stringContaining(text) }),
    );
  });

  it('survives writing and reading', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, unit: 'grapheme' }), { minLength: 1 }), (tokens) => {
        expect(parsePointer(formatPointer(tokens))).toEqual(tokens);
      }),
    );
  });

  it('reads through objects and arrays, and never what is inherited', () => {
    const root = { a: [{ b: 1 }], s: 'text' };
    expect(getAt(root, ['a', '0', 'b'])).toBe(1);
    expect(getAt(root, ['a', '00', 'b'])).toBeUndefined();
    expect(getAt(root, ['a', '-1'])).toBeUndefined();
    expect(getAt(root, ['a', 'length'])).toBeUndefined();
    expect(getAt(root, ['s', '0'])).toBeUndefined();
    expect(getAt(root, ['constructor'])).toBeUndefined();
    expect(getAt(root, ['__proto__', 'toString'])).toBeUndefined();
  });

  it('finds what it has set, and no longer what it has removed', () => {
    const token = fc.string({ minLength: 1, maxLength: 3 }).filter((text) => text !== '-');
    fc.assert(
      fc.property(fc.array(token, { minLength: 1, maxLength: 4 }), fc.jsonValue(), (pointer, value) => {
        const root: JsonObject = {};
        setAt(root, pointer, value as never);
        expect(equalJson(getAt(root, pointer), value as never)).toBe(true);
        expect(removeAt(root, pointer)).toBe(true);
        expect(getAt(root, pointer)).toBeUndefined();
        expect(removeAt(root, pointer)).toBe(false);
      }),
    );
  });
});

describe('equality of JSON', () => {
  it('ignores the order of members and minds that of elements', () => {
    expect(equalJson({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 })).toBe(true);
    expect(equalJson([1, 2], [2, 1])).toBe(false);
    expect(equalJson({ a: 1 }, { a: 1, b: 2 })).toBe(false);
    expect(equalJson({ a: undefined as never }, {})).toBe(false);
    expect(equalJson({}, [])).toBe(false);
    expect(equalJson(null, {})).toBe(false);
  });
});
