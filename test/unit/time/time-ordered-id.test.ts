import { expect, test } from 'vitest';
import { stableTimeOrderedId, timeOrderedId } from '#time/index.ts';

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

test('an id for names is the same each time, begins with its time, and differs with a name', () => {
  const at = Date.parse('2026-01-02T03:04:05.678Z');
  const id = stableTimeOrderedId(['old', 'activity', 'a-1'], at);
  expect(id).toBe('019b7ca9-8f2e-7be2-8004-be308edb5faf');
  expect(stableTimeOrderedId(['old', 'activity', 'a-2'], at)).not.toBe(id);
  expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(at);
});
