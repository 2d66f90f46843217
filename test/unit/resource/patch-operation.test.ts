import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '#json/index.ts';
import { applyPatch, parsePatch } from '#resource/index.ts';

const patch = (before: JsonObject, ...operations: JsonValue[]) => applyPatch(before, parsePatch(operations));

describe('a patch', () => {
  it.each<[string, JsonObject, JsonValue, JsonObject]>([
    ['add sets a field', { a: 1 }, { operation: 'add', field: '/b', value: 2 }, { a: 1, b: 2 }],
    ['add overwrites a field', { a: 1 }, { operation: 'add', field: 'a', value: 2 }, { a: 2 }],
    [
      'add makes missing parents',
      {},
      { operation: 'add', field: '/a/b/c', value: 1 },
      { a: { b: { c: 1 } } },
    ],
    ['add replaces a whole array', { t: ['a'] }, { operation: 'add', field: '/t', value: 'x' }, { t: 'x' }],
    ['add appends at /-', { t: ['a'] }, { operation: 'add', field: '/t/-', value: 'x' }, { t: ['a', 'x'] }],
    ['add at /- makes an array', {}, { operation: 'add', field: '/t/-', value: 'x' }, { t: ['x'] }],
    ['replace is add', {}, { operation: 'replace', field: '/a', value: 1 }, { a: 1 }],
    ['remove deletes', { a: 1, b: 2 }, { operation: 'remove', field: '/a' }, { b: 2 }],
    ['remove of nothing changes nothing', { b: 2 }, { operation: 'remove', field: '/a' }, { b: 2 }],
    [
      'remove by value takes every equal element',
      { t: ['a', 'b', 'a'] },
      { operation: 'remove', field: '/t', value: 'a' },
      { t: ['b'] },
    ],
    [
      'remove by value compares objects deeply',
      { t: [{ x: 1, y: 2 }, { x: 1 }] },
      { operation: 'remove', field: '/t', value: { y: 2, x: 1 } },
      { t: [{ x: 1 }] },
    ],
    [
      'remove by value keeps another scalar',
      { a: 1 },
      { operation: 'remove', field: '/a', value: 2 },
      { a: 1 },
    ],
    ['increment adds', { n: 5 }, { operation: 'increment', field: '/n', value: 1.5 }, { n: 6.5 }],
    [
      'increment adds to each',
      { n: [1, 2] },
      { operation: 'increment', field: '/n', value: -1 },
      { n: [0, 1] },
    ],
    ['move takes along', { a: 1 }, { operation: 'move', from: '/a', field: '/b' }, { b: 1 }],
    ['move of nothing changes nothing', { c: 1 }, { operation: 'move', from: '/a', field: '/b' }, { c: 1 }],
    ['copy leaves behind', { a: 1 }, { operation: 'copy', from: '/a', field: '/b' }, { a: 1, b: 1 }],
    ['operations are named in any case', { a: 1 }, { operation: 'REMOVE', field: '/a' }, {}],
    ['keys may hold an escaped slash', {}, { operation: 'add', field: '/a%2Fb', value: 1 }, { 'a/b': 1 }],
  ])('%s', async (_title, before, operation, after) => {
    expect(await patch(before, operation)).toEqual(after);
  });

  it('never touches the object it was given', async () => {
    const before = { t: ['a'], n: { x: 1 } };
    await patch(
      before,
      { operation: 'add', field: '/t/-', value: 'b' },
      { operation: 'remove', field: '/n/x' },
    );
    expect(before).toEqual({ t: ['a'], n: { x: 1 } });
  });

  it('sets a key called __proto__ as data', async () => {
    const after = await patch({}, { operation: 'add', field: '/__proto__/polluted', value: true });
    expect(Object.keys(after)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each<[string, JsonObject, JsonValue, RegExp]>([
    [
      'a position in an array',
      { t: ['a'] },
      { operation: 'replace', field: '/t/0', value: 1 },
      /Position-based/,
    ],
    ['a position of two digits', { t: ['a'] }, { operation: 'remove', field: '/t/10' }, /Position-based/],
    [
      'a position to move from',
      { t: ['a'] },
      { operation: 'move', from: '/t/0', field: '/b' },
      /Position-based/,
    ],
    ['the whole object', {}, { operation: 'add', field: '', value: {} }, /whole object/],
    ['a path through a scalar', { a: 1 }, { operation: 'add', field: '/a/b', value: 1 }, /neither an object/],
    ['an increment of nothing', {}, { operation: 'increment', field: '/n', value: 1 }, /not a number/],
    [
      'a move onto something',
      { a: 1, b: 2 },
      { operation: 'move', from: '/a', field: '/b' },
      /exists already/,
    ],
    [
      'a transform without a place for it',
      {},
      { operation: 'transform', field: '/a', value: {} },
      /not available/,
    ],
  ])('refuses %s', async (_title, before, operation, message) => {
    await expect(patch(before, operation)).rejects.toThrow(message);
  });

  it.each<[string, JsonValue, RegExp]>([
    ['is no array', { operation: 'add', field: '/a', value: 1 }, /must be an array/],
    ['has an operation that is no object', ['x'], /not an object/],
    ['has no operation name', [{ field: '/a' }], /no 'operation'/],
    ['misspells it', [{ operation: 'remvoe', field: '/a' }], /Unknown patch operation 'remvoe'/],
    ['has no field', [{ operation: 'add', value: 1 }], /no 'field'/],
    ['adds nothing', [{ operation: 'add', field: '/a' }], /needs a value/],
    ['adds null', [{ operation: 'add', field: '/a', value: null }], /needs a value/],
    ['increments by a text', [{ operation: 'increment', field: '/a', value: '1' }], /needs a number/],
    ['removes from', [{ operation: 'remove', field: '/a', from: '/b' }], /takes no 'from'/],
    ['moves from nowhere', [{ operation: 'move', field: '/a' }], /needs 'from'/],
    ['copies a value', [{ operation: 'copy', field: '/a', from: '/b', value: 1 }], /takes no value/],
    ['has a broken pointer', [{ operation: 'remove', field: '/%zz' }], /percent escape/],
  ])('is refused when it %s', (_title, body, message) => {
    expect(() => parsePatch(body)).toThrow(message);
  });
});
