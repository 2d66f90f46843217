import { expect, test } from 'vitest';
import { timeOrderedId } from '#time/index.ts';

test('ids are UUIDs of version 7 that sort in the order in which they were made', () => {
  const ids = Array.from({ length: 10_000 }, () => timeOrderedId());
  expect(ids.every((id) => /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(id))).toBe(
    true,
  );
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids.map((id) => id.slice(19))).size).toBe(ids.length);
});

test('an id begins with its time', () => {
  const at = Date.now() + 3_600_000;
  expect(Number.parseInt(timeOrderedId(at).replace('-', '').slice(0, 12), 16)).toBe(at);
});
