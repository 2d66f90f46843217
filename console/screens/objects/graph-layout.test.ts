import { describe, expect, it } from 'vitest';
import { layOut, linesOf } from './graph-layout.ts';

const edge = (from: string, to: string) => ({ from, to, title: 'linked' });

describe('the graph of an object', () => {
  it('has each object once, as near as the shortest way to it', () => {
    const edges = [edge('a', 'b'), edge('b', 'd'), edge('a', 'c'), edge('c', 'd'), edge('d', 'a')];
    expect(layOut('a', edges)).toEqual([
      { path: 'a', column: 0, row: 0 },
      { path: 'b', column: 1, row: 0 },
      { path: 'c', column: 1, row: 1 },
      { path: 'd', column: 2, row: 0 },
    ]);
  });

  it('draws what both ends tell as one line', () => {
    expect(linesOf([edge('a', 'b'), edge('b', 'a'), edge('b', 'c')])).toEqual([
      edge('a', 'b'),
      edge('b', 'c'),
    ]);
  });
});
