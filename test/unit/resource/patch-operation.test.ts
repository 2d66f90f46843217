import { describe, expect, it } from 'vitest';
import { type JsonObject, type JsonValue, sizeOf } from '#json/index.ts';
import { Budget } from '#resource/budget.ts';
import { applyPatch, PatchedObject, parsePatch } from '#resource/index.ts';

const patch = (before: JsonObject, ...operations: JsonValue[]) =>
  applyPatch(before, parsePatch(operations), { budget: new Budget() });

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

  it.each<[string, JsonValue]>([
    ['copied below itself', { operation: 'copy', from: '/a', field: '/a/b' }],
    ['copied far below itself', { operation: 'copy', from: '/a', field: '/a/b/c/-' }],
    ['moved below itself', { operation: 'move', from: '/a', field: '/a/b' }],
    ['moved to where it is', { operation: 'move', from: '/a', field: 'a/' }],
    ['the whole of it', { operation: 'copy', from: '', field: '/a' }],
  ])('puts nothing into itself: what is %s is refused', (_title, operation) => {
    expect(() => parsePatch([operation])).toThrow(/into itself/);
  });

  it('tells siblings with a common beginning apart', async () => {
    const after = await patch({ a: { x: 1 } }, { operation: 'copy', from: '/a', field: '/ab' });
    expect(after).toEqual({ a: { x: 1 }, ab: { x: 1 } });
  });

  it('makes no number that cannot be stored', async () => {
    const twice = { operation: 'increment', field: '/n', value: Number.MAX_VALUE };
    await expect(patch({ n: Number.MAX_VALUE }, twice)).rejects.toThrow(/larger than any number/);
    await expect(patch({ n: [1, Number.MAX_VALUE] }, twice)).rejects.toThrow(/larger than any number/);
  });
});

describe('the bounds of a patch', () => {
  const numbers = (length: number) => Array.from({ length }, (_, n) => n);
  const many = (length: number, operation: JsonValue) => numbers(length).map(() => operation);

  it('are so many operations', () => {
    const operation = { operation: 'remove', field: '/x' };
    expect(parsePatch(many(10_000, operation))).toHaveLength(10_000);
    expect(() => parsePatch(many(10_001, operation))).toThrow(/10001 operations; 10000 are allowed/);
  });

  it.each<[string, JsonObject, (n: number) => JsonValue]>([
    ['texts', { a: 'x'.repeat(1_000) }, () => 0],
    ['values', { a: numbers(100) }, () => 0],
  ])('are reached by copies of copies: %s that double each time', async (_title, { a }) => {
    const operations = numbers(40).map((n) => ({
      operation: 'copy',
      from: n % 2 === 0 ? '/l' : '/r',
      field: n % 2 === 0 ? `/r/c${n}` : `/l/c${n}`,
    }));
    const budget = new Budget();
    const grown = applyPatch({ l: { a: a! }, r: { a: a! } }, parsePatch(operations), { budget });
    await expect(grown).rejects.toMatchObject({ code: 413, detail: { id: 'PATCH_GROWS' } });
    // It was refused before it was made.
    expect(budget.spent.nodes).toBeLessThan(2_000_000);
  });

  it('are held against what an object grows by, so that a large one can still be made smaller', async () => {
    const large = { list: numbers(300_000), text: 'x'.repeat(5_000_000), n: 1 };
    const after = await patch(
      large,
      { operation: 'remove', field: '/text' },
      { operation: 'increment', field: '/n', value: 1 },
    );
    expect([after['n'], Object.keys(after)]).toEqual([2, ['list', 'n']]);
    await expect(patch(large, { operation: 'copy', from: '/text', field: '/b' })).rejects.toThrow(
      /4194304 bytes/,
    );
    await expect(patch(large, { operation: 'copy', from: '/list', field: '/b' })).rejects.toThrow(
      /200000 values/,
    );
  });

  it('give back what is taken away', async () => {
    const budget = new Budget();
    const turns = many(30, null).flatMap(() => [
      { operation: 'copy', from: '/text', field: '/b' },
      { operation: 'remove', field: '/b' },
      { operation: 'copy', from: '/text', field: '/deep/er/b' },
      { operation: 'move', from: '/deep/er/b', field: '/c' },
      { operation: 'replace', field: '/c', value: 1 },
      { operation: 'remove', field: '/c', value: 1 },
    ]);
    const before = { text: 'x'.repeat(2_000_000) };
    const after = await applyPatch(before, parsePatch(turns), { budget });
    expect(after).toEqual({ ...before, deep: { er: {} } });
  });

  it.each<[string, JsonValue, JsonValue]>([
    ['increments of a long list', numbers(60_000), { operation: 'increment', field: '/a', value: 1 }],
    ['removals from a long list', numbers(60_000), { operation: 'remove', field: '/a', value: -1 }],
    ['removals of much', many(200, numbers(200)), { operation: 'remove', field: '/a', value: numbers(201) }],
    ['copies that are replaced', numbers(60_000), { operation: 'move', from: '/a', field: '/b' }],
  ])('are reached by %s after work in proportion to what was sent', async (_title, a, operation) => {
    const budget = new Budget();
    const back = { operation: 'move', from: '/b', field: '/a' };
    const startedAt = process.threadCpuUsage();
    const patched = applyPatch({ a }, parsePatch(many(4_000, operation).flatMap((one) => [one, back])), {
      budget,
    });
    await expect(patched).rejects.toMatchObject({
      code: 413,
      detail: { expense: 'nodes', allowed: 10_000_000 },
    });
    const { user } = process.threadCpuUsage(startedAt);
    expect(user).toBeLessThan(5_000_000);
  });

  it('leave the thread to others meanwhile', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const operations = many(100, { operation: 'increment', field: '/a', value: 1 });
    await patch({ a: numbers(90_000) }, ...operations);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
  });

  it('measure what an object has become', async () => {
    const before: JsonObject = { a: { b: [1, 2, 'ü'] }, c: null };
    const patched = new PatchedObject(before, { budget: new Budget() });
    const operations = [
      { operation: 'add', field: '/d/e/f', value: { g: ['x', true] } },
      { operation: 'copy', from: '/a', field: '/d/a' },
      { operation: 'remove', field: '/a/b', value: 2 },
      { operation: 'move', from: '/d/e', field: '/e' },
      { operation: 'replace', field: '/e', value: 'y' },
    ];
    for (const operation of parsePatch(operations)) await patched.apply(operation);
    expect(patched.size).toEqual(sizeOf(patched.object));
  });
});
