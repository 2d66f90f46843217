import { describe, expect, it } from 'vitest';
import { layOut } from './lay-out.ts';

const TASK = { width: 100, height: 80 };
const EVENT = { width: 36, height: 36 };

describe('a process that nobody has drawn', () => {
  const { places, ways } = layOut({
    nodes: [
      { id: 'start', size: EVENT },
      { id: 'ask', size: TASK },
      { id: 'late', size: EVENT, on: 'ask' },
      { id: 'grant', size: TASK },
      { id: 'refuse', size: TASK },
      { id: 'end', size: EVENT },
    ],
    flows: [
      { id: '1', from: 'start', to: 'ask' },
      { id: '2', from: 'ask', to: 'grant' },
      { id: '3', from: 'ask', to: 'refuse' },
      { id: '4', from: 'grant', to: 'end' },
      { id: '5', from: 'refuse', to: 'ask' },
      { id: '6', from: 'late', to: 'end' },
      { id: '7', from: 'grant', to: 'nowhere' },
    ],
  });
  const at = (id: string) => places.get(id) ?? { x: -1, y: -1, width: 0, height: 0 };

  it('stands from left to right as it goes, and side by side what is next to each other', () => {
    expect([at('start').x, at('ask').x, at('grant').x, at('end').x]).toEqual(
      [at('start').x, at('ask').x, at('grant').x, at('end').x].toSorted((a, b) => a - b),
    );
    expect(at('refuse').x).toBe(at('grant').x);
    expect(at('refuse').y).toBeGreaterThanOrEqual(at('grant').y + at('grant').height);
  });

  it('has events on the edge of what they watch, and a way for each flow that leads somewhere', () => {
    expect(at('late').y + at('late').height / 2).toBe(at('ask').y + at('ask').height);
    expect([...ways.keys()]).toEqual(['1', '2', '3', '4', '5', '6']);
    const back = ways.get('5') ?? [];
    expect(back.at(-1)).toEqual({ x: at('ask').x + 50, y: at('ask').y + 80 });
  });

  it('is placed however many ways there are in it', () => {
    const nodes = Array.from({ length: 40 }, (_, n) => ({ id: `n${n}`, size: TASK }));
    const flows = nodes.flatMap((from) =>
      nodes.map((to) => ({ id: `${from.id}-${to.id}`, from: from.id, to: to.id })),
    );
    expect(layOut({ nodes, flows }).places.size).toBe(40);
  });
});
