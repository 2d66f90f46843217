import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SandboxPool } from '../../../../src/script/javascript/index.ts';
import { Surplus } from '../../../../src/script/javascript/surplus.ts';
import { runnerOf } from './support.ts';

const PERIOD_MS = 5_000;

describe('instances that a burst leaves', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('are kept while they are needed now and then, and go down to what is kept anyway', () => {
    let idle = 10;
    const surplus = new Surplus(4, (count) => {
      idle -= count;
      surplus.note(idle);
    });
    const rest = () => vi.advanceTimersByTime(PERIOD_MS);
    surplus.note(idle);
    rest();
    expect(idle).toBe(10);
    // Eight of them are in use for a moment.
    surplus.note(2);
    surplus.note(10);
    rest();
    expect(idle).toBe(8);
    rest();
    expect(idle).toBe(4);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('a second burst finds the instances of the first', async () => {
  const pool = await SandboxPool.create({ size: 2, maxSize: 8 });
  const { run } = runnerOf(pool);
  const burst = () => Promise.all(Array.from({ length: 8 }, () => run('svc.read("x")')));
  await burst();
  expect(pool.stats).toMatchObject({ created: 8, idle: 8 });
  await burst();
  expect(pool.stats).toMatchObject({ created: 8, idle: 8, discarded: 0 });
  pool.close();
});
