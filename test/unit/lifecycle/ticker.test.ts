import { describe, expect, it } from 'vitest';
import { type LoopNews, type Service, startAll, stopAll, Ticker } from '#lifecycle/index.ts';

function ticker(runOnce: () => Promise<number | undefined>, observe: (said: LoopNews) => void = () => {}) {
  return new Ticker({ name: 'test', intervalMs: 3_600_000, runOnce, observe });
}

/** A round that says when it begins and waits to be let go. */
function gate() {
  let begin = Promise.withResolvers<void>();
  let release = Promise.withResolvers<void>();
  return {
    began: () => begin.promise,
    letGo() {
      const current = release;
      begin = Promise.withResolvers();
      release = Promise.withResolvers();
      current.resolve();
    },
    async round() {
      begin.resolve();
      await release.promise;
      return undefined;
    },
  };
}

describe('a ticker', () => {
  it('runs its first round at once, and the next when it is woken', async () => {
    const { began, letGo, round } = gate();
    const loop = ticker(round);
    await loop.start();
    await began();
    letGo();
    loop.wake();
    await began();
    letGo();
    await loop.stop();
    expect(loop.lastBeatAt).toBeGreaterThan(0);
  });

  it('that is woken in mid-round runs once more, not at the same time', async () => {
    let running = 0;
    let most = 0;
    let rounds = 0;
    const twice = Promise.withResolvers<void>();
    const loop = ticker(async () => {
      running += 1;
      most = Math.max(most, running);
      rounds += 1;
      if (rounds === 1) loop.wake();
      if (rounds === 2) twice.resolve();
      await Promise.resolve();
      running -= 1;
      return undefined;
    });
    await loop.start();
    await twice.promise;
    await loop.stop();
    expect([rounds, most]).toEqual([2, 1]);
  });

  it('goes on after failed rounds, and says so when one ends well', async () => {
    const heard: LoopNews[] = [];
    const again = Promise.withResolvers<void>();
    let rounds = 0;
    const loop = ticker(
      async () => {
        rounds += 1;
        if (rounds <= 2) throw new Error(`round ${rounds}`);
        if (rounds === 4) again.resolve();
        return 0;
      },
      (said) => heard.push(said),
    );
    await loop.start();
    await again.promise;
    await loop.stop();
    expect(heard).toEqual([
      { kind: 'loop.failed', loop: 'test', error: new Error('round 1') },
      { kind: 'loop.failed', loop: 'test', error: new Error('round 2') },
      { kind: 'loop.recovered', loop: 'test', failures: 2, ms: expect.any(Number) },
    ]);
  });

  it('waits for the round under way when it stops', async () => {
    const { began, letGo, round } = gate();
    let ended = false;
    const loop = ticker(async () => {
      await round();
      ended = true;
      return undefined;
    });
    await loop.start();
    await began();
    const stopped = loop.stop();
    expect(ended).toBe(false);
    letGo();
    await stopped;
    expect(ended).toBe(true);
  });

  it('survives any order of starts and stops', async () => {
    const loop = ticker(async () => undefined);
    await loop.stop();
    for (let round = 0; round < 50; round++) {
      await Promise.all([loop.start(), loop.start()]);
      loop.wake();
      await Promise.all([loop.stop(), loop.stop()]);
    }
  });
});

describe('services', () => {
  const recorded = (
    name: string,
    log: string[],
    fail: 'start' | 'stop' | undefined = undefined,
  ): Service => ({
    name,
    async start() {
      log.push(`start ${name}`);
      if (fail === 'start') throw new Error(name);
    },
    async stop() {
      log.push(`stop ${name}`);
      if (fail === 'stop') throw new Error(name);
    },
  });

  it('start in order and stop in reverse', async () => {
    const log: string[] = [];
    const services = ['a', 'b'].map((name) => recorded(name, log));
    await startAll(services);
    await stopAll(services);
    expect(log).toEqual(['start a', 'start b', 'stop b', 'stop a']);
  });

  it('that started are stopped when a later one fails to', async () => {
    const log: string[] = [];
    await expect(
      startAll([recorded('a', log), recorded('b', log, 'start'), recorded('c', log)]),
    ).rejects.toThrow('b');
    expect(log).toEqual(['start a', 'start b', 'stop a']);
  });

  it('all stop, also when one of them fails to', async () => {
    const log: string[] = [];
    await expect(stopAll([recorded('a', log), recorded('b', log, 'stop')])).rejects.toThrow('b');
    expect(log).toEqual(['stop b', 'stop a']);
  });

  it('that drain stop at once and first, so that their waits are one', async () => {
    const log: string[] = [];
    const { promise: both, resolve } = Promise.withResolvers<void>();
    let waiting = 0;
    const drained = (name: string): Service => ({
      ...recorded(name, log),
      drains: true,
      async stop() {
        waiting += 1;
        if (waiting === 2) resolve();
        await both;
        log.push(`stop ${name}`);
      },
    });
    await stopAll([drained('a'), recorded('b', log), drained('c')]);
    expect(log.slice(0, 2).sort()).toEqual(['stop a', 'stop c']);
    expect(log[2]).toBe('stop b');
  });
});
