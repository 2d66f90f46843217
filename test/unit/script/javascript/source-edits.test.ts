import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SourceEdits } from '../../../../src/script/javascript/source-edits.ts';

describe('edits of a source', () => {
  it('can be undone for every place that was in the original', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', ' ', '\n', '\r\n', 'é'), { maxLength: 30 })
      .map((list) => list.join(''));
    fc.assert(
      fc.property(
        text,
        fc.array(fc.tuple(fc.nat(40), fc.constantFrom('xx', 'yyy', 'z'))),
        (source, insertions) => {
          const edits = new SourceEdits(source);
          const places = insertions.map(([at, inserted]) => ({ at: Math.min(at, source.length), inserted }));
          for (const { at, inserted } of places) edits.insert(at, inserted);
          const changed = edits.apply();
          expect(changed.length - source.length).toBe(
            places.reduce((sum, { inserted }) => sum + inserted.length, 0),
          );
          for (let offset = 0; offset < source.length; offset++) {
            const before = places
              .filter(({ at }) => at <= offset)
              .reduce((sum, { inserted }) => sum + inserted.length, 0);
            expect(changed[offset + before]).toBe(source[offset]);
            expect(edits.toOriginal(placeOf(changed, offset + before))).toEqual(placeOf(source, offset));
          }
        },
      ),
    );
  });
});

function placeOf(text: string, offset: number) {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: lines.at(-1)!.length + 1 };
}
