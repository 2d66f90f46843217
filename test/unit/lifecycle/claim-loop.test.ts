import { describe, expect, it } from 'vitest';
import { ClaimLoop, type LoopNews } from '#lifecycle/index.ts';

function loop(given: { drainMs?: number; fails?: boolean } = {}) {
  const log: string[] = [];
  const said: LoopNews[] = [];
  const state = { active: 0 };
  const step = (name: string) => async () => {
    log.push(name);
    if (given.fails === true) throw new Error(`cannot ${name}`);
  };
  const made = new ClaimLoop({
    name: 'test',
    intervalMs: 3_600_000,
    runOnce: async () => undefined,
    active: () => state.active,
    handBack: step('hand back'),
    giveUp: step('give up'),
    observe: (news) => said.push(news),
    drainMs: given.drainMs,
  });
  return { made, state, log, said };
}

describe('a claim loop', () => {
  it('that stops claims no more, hands back what has not started, and waits for the last that runs', async () => {
    const { made, state, log } = loop();
    await made.start();
    expect(made.claims).toBe(true);
    state.active = 2;
    const stopped = made.stop().then(() => log.push('stopped'));
    expect(made.claims).toBe(false);
    for (const left of [1, 0]) {
      // Longer than a stop that waits for nothing takes.
      await new Promise((resolve) => setImmediate(resolve));
      expect(log).toEqual(['hand back']);
      state.active = left;
      made.noteEnd();
    }
    await stopped;
    expect(log).toEqual(['hand back', 'stopped']);
  });

  it('gives up what runs for longer than a stop may wait', async () => {
    const { made, state, log } = loop({ drainMs: 1 });
    await made.start();
    state.active = 1;
    await made.stop();
    expect(log).toEqual(['hand back', 'give up']);
  });

  it('stops when nothing can be handed back or given up, and says so', async () => {
    const { made, state, said } = loop({ drainMs: 1, fails: true });
    await made.start();
    state.active = 1;
    await made.stop();
    expect(said).toMatchObject([
      { kind: 'loop.failed', loop: 'test', error: new Error('cannot hand back') },
      { kind: 'loop.failed', loop: 'test', error: new Error('cannot give up') },
    ]);
  });

  it('that was never started, or has stopped, stops without a word', async () => {
    const { made, log } = loop();
    await made.stop();
    await made.start();
    await made.stop();
    await made.stop();
    expect(log).toEqual(['hand back']);
  });
});
