import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it } from 'vitest';
import type { JsonValue } from '#json/index.ts';
import { monotonicMs } from '#time/index.ts';
import { SandboxPool } from '../../../../src/script/javascript/index.ts';
import { describeEngines, type Host, runnerOf } from './support.ts';
import '../../../support/takes-long.ts';

/** Answers in an order that has nothing to do with the order of the questions. */
function shufflingHost(): Host {
  const open: (() => void)[] = [];
  let state = 12345;
  return (_operation, args) =>
    new Promise<JsonValue>((resolve) => {
      open.push(() => resolve({ answer: args[0] ?? null }));
      setImmediate(() => {
        state = (state * 1103515245 + 12345) % 2147483648;
        open.splice(state % open.length, 1)[0]!();
      });
    });
}

describeEngines('many runs at once', (runner, engine) => {
  it('keeps suspended runs with interleaved host calls apart', async () => {
    const host = shufflingHost();
    const source = `
      var sum = 0, seen = [];
      for (var i = 0; i < rounds; i++) {
        var answer = svc.read('item/' + id + '/' + i).answer;
        if (answer !== 'item/' + id + '/' + i) throw new Error('mixed up ' + answer);
        globalThis.mine = (globalThis.mine || 0) + id;
        seen.push(globalThis.mine);
      }
      ({ id: id, total: globalThis.mine, calls: seen.length })`;
    const runs = Array.from({ length: 150 }, async (_, id) => {
      const rounds = 1 + (id % 7);
      const value = await runner().value(source, { bindings: { id, rounds }, host });
      expect(value).toEqual({ id, total: id * rounds, calls: rounds });
    });
    await Promise.all(runs);
    expect(runner().pool.stats.instances).toBeLessThanOrEqual(64);
    expect(runner().pool.stats.waiting).toBe(0);
  });

  it('makes the calls of a run in the asynchronous context in which it was begun, so that their work is told apart', async () => {
    const contexts = new AsyncLocalStorage<number>();
    const shuffled = shufflingHost();
    const host: Host = async (...asked) => {
      await shuffled(...asked);
      return contexts.getStore() ?? null;
    };
    const calls = '[svc.read("a"), svc.read("b"), svc.read("c")]';
    const runs = Array.from({ length: 5 }, (_, id) =>
      contexts.run(id, () => runner().value(calls, { host })),
    );
    expect(await Promise.all(runs)).toEqual([0, 1, 2, 3, 4].map((id) => [id, id, id]));
  });

  it('runs a script from a host call of a script, many levels deep', async () => {
    const nested: Host = async (_operation, args) => {
      const level = Number(args[0]);
      return level === 0
        ? 0
        : runner().value('1 + svc.read(level)', { host: nested, bindings: { level: String(level - 1) } });
    };
    expect(await runner().value('1 + svc.read("20")', { host: nested })).toBe(21);
  });

  it('makes runs wait in line when all instances are busy', async () => {
    const small = runnerOf(await SandboxPool.create({ engine, size: 1, maxSize: 2 }));
    const order: number[] = [];
    const gate = Promise.withResolvers<null>();
    const host: Host = () => gate.promise;
    const runs = Array.from({ length: 6 }, (_, id) =>
      small.value('svc.read("x"); id', { bindings: { id }, host }).then(() => order.push(id)),
    );
    await new Promise(setImmediate);
    expect(small.pool.stats).toMatchObject({ instances: 2, waiting: 4 });
    gate.resolve(null);
    await Promise.all(runs);
    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
    expect(small.pool.stats).toMatchObject({ instances: 2, idle: 2, waiting: 0 });
    small.pool.close();
    await expect(small.run('1')).rejects.toThrow('closed');
  });

  it('tells the watchdog exactly when a script holds the thread', async () => {
    const events: string[] = [];
    const started = monotonicMs();
    const observed = (id: string) => ({
      host: shufflingHost(),
      timeoutMs: 60_000,
      onEnter: (deadline: number) => {
        events.push(`enter ${id}`);
        expect(deadline).toBeGreaterThan(started + 59_990);
        expect(deadline).toBeLessThanOrEqual(monotonicMs() + 60_001);
      },
      onLeave: () => void events.push(`leave ${id}`),
    });
    await Promise.all(
      ['a', 'b', 'c'].map((id) => runner().run('svc.read("1"); svc.read("2")', observed(id))),
    );
    expect(events).toHaveLength(18);
    for (let index = 0; index < events.length; index += 2) {
      const id = events[index]!.slice(-1);
      expect(events.slice(index, index + 2)).toEqual([`enter ${id}`, `leave ${id}`]);
    }
  });

  it('gives a run that another one waits for an instance, however many are busy', async () => {
    const small = runnerOf(await SandboxPool.create({ engine, size: 1, maxSize: 1 }));
    const nested: Host = async (_operation, args) => {
      const level = Number(args[0]);
      if (level === 0) return 0;
      const bindings = { level: String(level - 1) };
      return small.value('1 + svc.read(level)', { host: nested, bindings, isNested: true });
    };
    const runs = Array.from({ length: 5 }, () => small.value('1 + svc.read("6")', { host: nested }));
    expect(await Promise.all(runs)).toEqual([7, 7, 7, 7, 7]);
    expect(small.pool.stats).toMatchObject({ instances: 1, idle: 1, waiting: 0 });
    small.pool.close();
  });

  it('does not count what one script takes of the thread against the time of those that wait', async () => {
    const answered = Promise.withResolvers<null>();
    const asked = Promise.withResolvers<void>();
    const honest = runner().value('svc.read("x"); "done"', {
      timeoutMs: 1_000,
      host: () => {
        asked.resolve();
        return answered.promise;
      },
    });
    await asked.promise;
    const hog = runner().failure('for (;;) {}', { timeoutMs: 1_200 });
    expect(await hog).toMatchObject({ limit: 'time' });
    answered.resolve(null);
    expect(await honest).toBe('done');
  });

  it('ends a waiting run with the reason of its signal', async () => {
    const controller = new AbortController();
    const asked = Promise.withResolvers<void>();
    const run = runner().failure('svc.read("x")', {
      signal: controller.signal,
      host: () => {
        asked.resolve();
        return new Promise(() => {});
      },
    });
    await asked.promise;
    controller.abort(new Error('the caller went away'));
    expect(await run).toMatchObject({ message: 'the caller went away' });
    expect(await runner().failure('1', { signal: controller.signal })).toMatchObject({
      message: 'the caller went away',
    });
    expect(await runner().value('1 + 1')).toBe(2);
  });
});
