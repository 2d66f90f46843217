import { expect, it } from 'vitest';
import { type Key, stepsOf } from './key-steps.ts';

function key(id: string, more: Partial<Key>): Key {
  const base = { alias: 'a', encrypting: [], nodes: ['one', 'two'], lacking: [], isStoredUnder: true };
  return { ...base, _id: `a:${id}`, key: id, ...more };
}

const steps = (...keys: readonly Key[]) => stepsOf(keys).map(({ act, key: { key: id } }) => `${act} ${id}`);

it('leads a new key from one node to all of them, into use, and what is stored under it', () => {
  const old = key('old', { encrypting: ['one', 'two'], firstUsedAt: '2026-01-01T00:00:00Z' });
  expect(steps(old)).toEqual([]);
  const made = { isStoredUnder: false };
  expect(steps(old, key('new', { ...made, nodes: ['one'], lacking: ['two'] }))).toEqual(['spread new']);
  expect(steps(old, key('new', made))).toEqual(['use new']);
  const half = { ...old, encrypting: ['two'] };
  expect(steps(half, key('new', { ...made, encrypting: ['one'] }))).toEqual(['restart new']);
  const used = key('new', { encrypting: ['one', 'two'], firstUsedAt: '2026-02-01T00:00:00Z' });
  expect(steps({ ...old, encrypting: [] }, used)).toEqual(['encrypt old']);
  expect(steps({ ...old, encrypting: [], values: 7 }, used)).toEqual(['encrypt old']);
  expect(steps({ ...old, encrypting: [], values: 0 }, used)).toEqual([]);
});
