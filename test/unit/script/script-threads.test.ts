import { getEventListeners } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Observation } from '#observability/index.ts';
import { distantThreads, serveScriptWork } from '#script/distant-threads.ts';
import { ScriptThreads, type ScriptWork, workKind } from '#script/index.ts';
import { openLine, question } from '#thread/line.ts';
import { chooseEngine } from '../../../src/script/javascript/index.ts';
import type { ScriptThreadsOptions } from '../../../src/script/script-threads.ts';
import '../../support/takes-long.ts';

const PROTOCOL = new URL('../../../src/script/thread-protocol.ts', import.meta.url);
const ENGINE = new URL('../../../src/script/javascript/engine-module.ts', import.meta.url);

/** A thread that does as its work says: answers, dies, keeps busy, or holds on past a deadline that it has announced. */
const ENTRY = `
  import { once } from 'node:events';
  import { setTimeout } from 'node:timers/promises';
  import { parentPort, workerData } from 'node:worker_threads';
  import { takeOffer } from '${PROTOCOL}';
  if (workerData.stillborn !== undefined && Atomics.add(workerData.stillborn, 0, -1) > 0) process.exit(3);
  const foundation = workerData.stands ? (await once(workerData.foundation, 'message'))[0] : undefined;
  workerData.foundation.close();
  parentPort.on('message', async (message) => {
    if (message.type === 'stop') process.exit(0);
    if (message.type === 'reload') return parentPort.postMessage({ type: 'done', id: message.id, value: null });
    if (message.type !== 'work') return;
    const { kind, payload, id, offer } = message;
    if (!takeOffer(workerData.shared, offer)) return;
    if (kind === 'die') process.exit(7);
    if (kind === 'engine') return parentPort.postMessage({ type: 'done', id, value: workerData.engine?.kind });
    if (kind === 'hold') {
      Atomics.store(workerData.shared, 1, BigInt(id));
      Atomics.store(workerData.shared, 0, process.hrtime.bigint() / 1_000_000n);
      for (;;) {}
    }
    if (kind === 'wait') return;
    if (kind === 'linger') await setTimeout(payload);
    if (kind === 'busy') {
      const until = Date.now() + payload;
      Atomics.store(workerData.shared, 1, BigInt(id));
      Atomics.store(workerData.shared, 0, process.hrtime.bigint() / 1_000_000n + 60_000n);
      while (Date.now() < until) {}
      Atomics.add(workerData.shared, 5, 1n);
      Atomics.store(workerData.shared, 0, 0n);
    }
    parentPort.postMessage({ type: 'done', id, value: [payload, workerData.thread, ...(foundation ? [foundation] : [])] });
  });
  Atomics.store(workerData.shared, 2, process.hrtime.bigint() / 1_000_000n);
  const engine = workerData.compiles ? await (await import('${ENGINE.href}')).loadEngineModule() : undefined;
  parentPort.postMessage({ type: 'ready', engine });
`;

/** Whose work it is: that of the thread that has them, or of another one, which asks over a line. */
interface Way extends Disposable {
  readonly run: ScriptWork['run'];
  /** Resolves when what was asked before has come to the threads. */
  readonly arrived: () => Promise<void>;
}

const WAYS: Readonly<Record<string, (threads: ScriptThreads) => Way>> = {
  'script threads': (threads) => ({
    run: (work) => threads.run(work),
    arrived: async () => {},
    [Symbol.dispose]: () => {},
  }),
  'script threads, asked from another thread,': (threads) => {
    const { port1, port2 } = new MessageChannel();
    const [there, here] = [openLine(port1), openLine(port2)];
    serveScriptWork(there, threads, async () => {});
    const PING = question<null, null>('ping');
    there.answer(PING, () => null);
    const { run } = distantThreads(here);
    return {
      run,
      arrived: async () => void (await here.ask(PING, null)),
      [Symbol.dispose]: () => port1.close(),
    };
  },
};

describe.each(Object.entries(WAYS))('%s', (_name, goBy) => {
  const file = join(tmpdir(), `svc-thread-${crypto.randomUUID()}.mjs`);
  beforeAll(() => writeFile(file, ENTRY));
  afterAll(() => rm(file, { force: true }));

  function prepare(count: number, more: Partial<ScriptThreadsOptions> = {}) {
    const observations: Observation[] = [];
    const threads = new ScriptThreads({
      count,
      entry: pathToFileURL(file),
      data: {},
      observe: (observation) => void observations.push(observation),
      ...more,
    });
    const told = (kind: string) => observations.filter((observation) => observation.kind === kind);
    const way = goBy(threads);
    const dispose = async () => {
      await threads.stop();
      way[Symbol.dispose]();
    };
    return { threads, told, run: way.run, arrived: way.arrived, [Symbol.asyncDispose]: dispose };
  }

  /** The first thread; others come when there is work for them. */
  async function start(count: number, more: Partial<ScriptThreadsOptions> = {}) {
    const prepared = prepare(count, more);
    await prepared.threads.start();
    return prepared;
  }

  /** As many as there may be. */
  async function open(count: number, more: Partial<ScriptThreadsOptions> = {}) {
    const started = await start(count, more);
    await keepBusy(started, count);
    return started;
  }

  const work = (kind: string, payload: unknown = null, repeatable = false) => ({
    kind: workKind(kind),
    payload,
    repeatable,
  });

  /** Until there are so many: a thread takes eight pieces of work of one caller at a time. */
  async function keepBusy(
    { threads, run }: Pick<ReturnType<typeof prepare>, 'threads' | 'run'>,
    count: number,
  ) {
    const more = { ...work('linger', 100), caller: 'eager' };
    while (threads.health.filter(({ ok }) => ok).length < count)
      await Promise.all(Array.from({ length: 8 * count }, () => run(more)));
  }

  it('are one at the start, and never more than there may be', async () => {
    await using started = await start(3);
    const { told, run } = started;
    expect(told('script.threadStarted')).toEqual([{ kind: 'script.threadStarted', thread: 1 }]);
    await keepBusy(started, 3);
    const crowd = { ...work('linger', 100), caller: 'eager' };
    await Promise.all(Array.from({ length: 100 }, () => run(crowd)));
    expect(told('script.threadStarted')).toHaveLength(3);
  });

  it('have the engine that the first of this process has compiled', async () => {
    await using started = await start(1, { data: { compiles: true } });
    const { run } = started;
    await run(work('die')).catch(() => {});
    expect(await run(work('engine'))).toBe(chooseEngine());
  });

  it('come for work that goes on, even if no other waits for a thread', async () => {
    await using started = await start(2);
    const { threads, run } = started;
    run(work('wait')).catch(() => {});
    await expect.poll(() => threads.health.map(({ ok }) => ok)).toEqual([true, true]);
  });

  it('go when they have long had no work, all but the first', async () => {
    await using started = await start(3, { idleMs: 300 });
    const { threads, told, run } = started;
    const crowd = { ...work('linger', 100), caller: 'eager' };
    // One that has come may be gone before it is seen.
    while (told('script.threadStarted').length === 1)
      await Promise.all(Array.from({ length: 16 }, () => run(crowd)));
    await expect.poll(() => threads.health).toMatchObject([{ thread: 1, ok: true }]);
    expect(told('script.threadSpared')).toHaveLength(told('script.threadStarted').length - 1);
    expect(told('script.threadKilled')).toEqual([]);
    expect(await run(work('echo', 'e'))).toEqual(['e', 1]);
  });

  it('load before there is what they stand on, and take work when it is there', async () => {
    await using prepared = prepare(2, { data: { stands: true } });
    const { threads, run } = prepared;
    threads.prepare();
    const early = run(work('echo', 'a'));
    threads.found({ url: 'there' });
    await threads.start();
    expect(await early).toEqual(['a', 1, { url: 'there' }]);
    await keepBusy(prepared, 2);
    expect(await Promise.all([1, 2].map((n) => run(work('echo', n))))).toEqual([
      [1, 1, { url: 'there' }],
      [2, 2, { url: 'there' }],
    ]);
  });

  it('that still load when the start is given up are ended at once', async () => {
    const { threads, told } = prepare(2, { data: { stands: true } });
    threads.prepare();
    await threads.stop();
    expect([threads.health, told('script.threadKilled')]).toEqual([[], []]);
  });

  it('listen to whoever may end their work no longer than it takes', async () => {
    await using opened = await open(2);
    const { signal } = new AbortController();
    const many = Array.from({ length: 50 }, (_, n) => opened.run({ ...work('echo', n), signal }));
    await Promise.all([...many, opened.run({ ...work('die'), signal }).catch(() => undefined)]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('take work and answer, and tell how they are', async () => {
    await using opened = await open(2);
    const { threads, run } = opened;
    expect(await run(work('echo', 'a'))).toEqual(['a', 1]);
    expect(threads.health).toEqual([
      { thread: 1, ok: true, busy: 0, beatAgeMs: expect.any(Number) },
      { thread: 2, ok: true, busy: 0, beatAgeMs: expect.any(Number) },
    ]);
    await threads.reload();
  });

  it('that die are replaced: what changes nothing runs again, the rest fails with 503', async () => {
    await using opened = await open(1);
    const { told, run } = opened;
    const lost = run(work('wait'));
    const asked = run(work('die'));
    const again = run(work('echo', 'b', true));
    await Promise.all([
      expect(asked).rejects.toMatchObject({ code: 503 }),
      expect(lost).rejects.toMatchObject({ code: 503, detail: undefined }),
    ]);
    expect(await again).toEqual(['b', 2]);
    expect(told('script.threadKilled')).toMatchObject([{ thread: 1 }]);
  });

  it('that hold on past a deadline are ended, and only the guilty work is blamed', async () => {
    await using opened = await open(1);
    const { run } = opened;
    const guilty = run(work('hold'));
    const innocent = run(work('echo', 'c', true));
    await expect(guilty).rejects.toMatchObject({
      code: 500,
      message: expect.stringContaining('cannot be interrupted'),
      detail: undefined,
    });
    expect(await innocent).toEqual(['c', 2]);
  });

  it('that die before they are ready fail the start, and leave nothing running', async () => {
    const stillborn = new Int32Array(new SharedArrayBuffer(4)).fill(100);
    await expect(open(2, { data: { stillborn } })).rejects.toThrow('code 3');
  });

  it('that die before they are ready later are replaced with pauses until one lives', async () => {
    const stillborn = new Int32Array(new SharedArrayBuffer(4));
    await using opened = await open(1, { data: { stillborn } });
    const { threads, told, run } = opened;
    Atomics.store(stillborn, 0, 2);
    await expect(run(work('die'))).rejects.toMatchObject({ code: 503 });
    await expect.poll(() => threads.health[0]?.ok).toBe(true);
    expect(told('script.threadKilled')).toHaveLength(3);
    expect(await run(work('echo', 'd'))).toEqual(['d', 4]);
  });

  /** What callers ask for, and the order in which it is answered, by caller. */
  const inOrder = ({ run }: Pick<ReturnType<typeof prepare>, 'run'>) => {
    const answered: string[] = [];
    const ask = (caller: string, kind: string, payload: unknown = null) =>
      run({ ...work(kind, payload), ...(caller === 'server' ? {} : { caller }) })
        .then(() => {
          answered.push(caller);
          return 'done';
        })
        // Without a detail where the threads have ended meanwhile.
        .catch(({ detail, code }) => String(detail?.id ?? code));
    return { answered, ask };
  };

  it('that are held give what they have not begun to others, even what may run once only', async () => {
    await using opened = await open(2);
    const { answered, ask } = inOrder(opened);
    const long = ask('a', 'busy', 1_500);
    // As many as go to each of them.
    await Promise.all(Array.from({ length: 20 }, () => ask('b', 'echo')));
    expect(answered).toEqual(Array.from({ length: 20 }, () => 'b'));
    expect(await long).toBe('done');
  });

  it('are had by callers in turns, and by the server as by any of them', async () => {
    await using opened = await open(1);
    const { answered, ask } = inOrder(opened);
    const all = Array.from({ length: 6 }, () => ask('a', 'busy', 400));
    all.push(ask('b', 'echo'), ask('c', 'echo'), ask('server', 'echo'));
    expect(new Set(await Promise.all(all))).toEqual(new Set(['done']));
    expect(answered.lastIndexOf('b')).toBeLessThan(5);
    expect(answered.lastIndexOf('c')).toBeLessThan(5);
    expect(answered.lastIndexOf('server')).toBeLessThan(5);
  });

  it('take a few requests of a caller at a time, and the next when one has ended; others and the server need not wait', async () => {
    await using opened = await open(2);
    const { threads, run, arrived } = opened;
    const of = (caller: string, kind: string, payload: unknown = null) => ({
      ...work(kind, payload),
      caller,
    });
    for (let n = 0; n < 40; n++) run(of('many', 'wait')).catch(() => {});
    await arrived();
    expect([threads.busy, threads.waiting]).toEqual([16, 24]);
    expect(await run(of('other', 'answer', 'x'))).toMatchObject({ 0: 'x' });
    expect(await run(work('answer', 'y'))).toMatchObject({ 0: 'y' });
    expect([threads.busy, threads.waiting]).toEqual([16, 24]);
  });

  it('give the place of a request that has ended to the next of its caller', async () => {
    await using opened = await open(1);
    const { threads, run, arrived } = opened;
    const answers = Array.from({ length: 30 }, (_, n) => run({ ...work('answer', n), caller: 'many' }));
    await arrived();
    expect(threads.busy).toBe(8);
    expect((await Promise.all(answers)).map((answer) => (answer as [number])[0])).toEqual(
      Array.from({ length: 30 }, (_, n) => n),
    );
  });

  it('are never all held by whoever has held one for long', async () => {
    await using opened = await open(2);
    const { answered, ask } = inOrder(opened);
    const slow = [...'aacc'].map((caller) => ask(caller, 'busy', 1_500));
    // Nobody waits for these two, so nothing of them is refused.
    await Promise.race(slow);
    slow.push(...[...'acacac'].map((caller) => ask(caller, 'busy', 1_500)));
    const before = answered.length;
    for (let time = 0; time < 30; time += 1) expect(await ask('b', 'echo')).toBe('done');
    expect(answered.slice(before).filter((caller) => caller !== 'b').length).toBeLessThan(4);
    const outcomes = new Set(await Promise.all(slow));
    expect([...outcomes].filter((outcome) => !['done', 'SCRIPT_CROWDED'].includes(outcome))).toEqual([]);
  });

  it('let no caller wait for longer than it may, and the server as long as it takes', async () => {
    await using opened = await open(1, { longestWaitMs: 300 });
    const { ask } = inOrder(opened);
    const long = ask('a', 'busy', 900);
    const [late, patient] = await Promise.all([ask('b', 'echo'), ask('server', 'echo')]);
    expect([late, patient, await long]).toEqual(['SCRIPT_NO_TURN', 'done', 'done']);
  });

  it('do nothing for a caller who has left before it began', async () => {
    await using opened = await open(1);
    const { answered, ask } = inOrder(opened);
    const left = new AbortController();
    const long = ask('a', 'busy', 1_000);
    const late = opened.run({ ...work('echo'), caller: 'b', signal: left.signal });
    left.abort();
    await expect(late).rejects.toMatchObject({ code: 408, detail: { id: 'NOBODY_WAITS' } });
    expect([await ask('c', 'echo'), await long, answered]).toEqual(['done', 'done', ['a', 'c']]);
  });

  it('that have stopped take no more work', async () => {
    const opened = await open(1);
    await opened.threads.stop();
    await expect(opened.run(work('echo'))).rejects.toMatchObject({
      code: 503,
      detail: { id: 'SERVER_STOPPING' },
    });
  });
});
