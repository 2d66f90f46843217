import { getEventListeners } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Observation } from '#observability/index.ts';
import { ScriptThreads } from '#script/index.ts';

const PROTOCOL = new URL('../../../src/script/thread-protocol.ts', import.meta.url);

/** A thread that does as its work says: answers, dies, keeps busy, or holds on past a deadline that it has announced. */
const ENTRY = `
  import { parentPort, workerData } from 'node:worker_threads';
  import { takeOffer } from '${PROTOCOL}';
  if (workerData.stillborn !== undefined && Atomics.add(workerData.stillborn, 0, -1) > 0) process.exit(3);
  parentPort.on('message', (message) => {
    if (message.type === 'stop') process.exit(0);
    if (message.type === 'reload') return parentPort.postMessage({ type: 'done', id: message.id, value: null });
    const { kind, payload, id, offer } = message;
    if (!takeOffer(workerData.shared, offer)) return;
    if (kind === 'die') process.exit(7);
    if (kind === 'hold') {
      Atomics.store(workerData.shared, 1, BigInt(id));
      Atomics.store(workerData.shared, 0, process.hrtime.bigint() / 1_000_000n);
      for (;;) {}
    }
    if (kind === 'wait') return;
    if (kind === 'busy') {
      const until = Date.now() + payload;
      Atomics.store(workerData.shared, 1, BigInt(id));
      Atomics.store(workerData.shared, 0, process.hrtime.bigint() / 1_000_000n + 60_000n);
      while (Date.now() < until) {}
      Atomics.add(workerData.shared, 5, 1n);
      Atomics.store(workerData.shared, 0, 0n);
    }
    parentPort.postMessage({ type: 'done', id, value: [payload, workerData.thread] });
  });
  Atomics.store(workerData.shared, 2, process.hrtime.bigint() / 1_000_000n);
  parentPort.postMessage({ type: 'ready' });
`;

describe('script threads', () => {
  const file = join(tmpdir(), `svc-thread-${crypto.randomUUID()}.mjs`);
  beforeAll(() => writeFile(file, ENTRY));
  afterAll(() => rm(file, { force: true }));

  async function open(count: number, data: Record<string, unknown> = {}, longestWaitMs?: number) {
    const observations: Observation[] = [];
    const threads = new ScriptThreads({
      count,
      entry: pathToFileURL(file),
      data,
      observe: (observation) => void observations.push(observation),
      ...(longestWaitMs === undefined ? {} : { longestWaitMs }),
    });
    await threads.start();
    return { threads, observations, [Symbol.asyncDispose]: () => threads.stop() };
  }

  const work = (kind: string, payload: unknown = null, repeatable = false) => ({ kind, payload, repeatable });

  it('listen to whoever may end their work no longer than it takes', async () => {
    await using opened = await open(2);
    const { signal } = new AbortController();
    const many = Array.from({ length: 50 }, (_, n) => opened.threads.run({ ...work('echo', n), signal }));
    await Promise.all([...many, opened.threads.run({ ...work('die'), signal }).catch(() => undefined)]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('take work and answer, and tell how they are', async () => {
    await using opened = await open(2);
    const { threads } = opened;
    expect(await threads.run(work('echo', 'a'))).toEqual(['a', 1]);
    expect(threads.health).toEqual([
      { thread: 1, ok: true, busy: 0, beatAgeMs: expect.any(Number) },
      { thread: 2, ok: true, busy: 0, beatAgeMs: expect.any(Number) },
    ]);
    await threads.reload();
  });

  it('that die are replaced: what changes nothing runs again, the rest fails with 503', async () => {
    await using opened = await open(1);
    const { threads, observations } = opened;
    const lost = threads.run(work('wait'));
    const asked = threads.run(work('die'));
    const again = threads.run(work('echo', 'b', true));
    await expect(asked).rejects.toMatchObject({ code: 503 });
    await expect(lost).rejects.toMatchObject({ code: 503, detail: undefined });
    expect(await again).toEqual(['b', 2]);
    expect(observations.find(({ kind }) => kind === 'script.threadKilled')).toMatchObject({ thread: 1 });
  });

  it('that hold on past a deadline are ended, and only the guilty work is blamed', async () => {
    await using opened = await open(1);
    const { threads } = opened;
    const guilty = threads.run(work('hold'));
    const innocent = threads.run(work('echo', 'c', true));
    await expect(guilty).rejects.toMatchObject({
      code: 500,
      message: expect.stringContaining('cannot be interrupted'),
      detail: undefined,
    });
    expect(await innocent).toEqual(['c', 2]);
  });

  it('that die before they are ready fail the start, and leave nothing running', async () => {
    const stillborn = new Int32Array(new SharedArrayBuffer(4)).fill(100);
    await expect(open(2, { stillborn })).rejects.toThrow('code 3');
  });

  it('that die before they are ready later are replaced with pauses until one lives', async () => {
    const stillborn = new Int32Array(new SharedArrayBuffer(4));
    await using opened = await open(1, { stillborn });
    const { threads, observations } = opened;
    Atomics.store(stillborn, 0, 2);
    await expect(threads.run(work('die'))).rejects.toMatchObject({ code: 503 });
    await expect.poll(() => threads.health[0]?.ok).toBe(true);
    expect(observations.filter(({ kind }) => kind === 'script.threadKilled')).toHaveLength(3);
    expect(await threads.run(work('echo', 'd'))).toEqual(['d', 4]);
  });

  /** What callers ask for, and the order in which it is answered, by caller. */
  const inOrder = (threads: ScriptThreads) => {
    const answered: string[] = [];
    const ask = (caller: string, kind: string, payload: unknown = null) =>
      threads
        .run({ ...work(kind, payload), ...(caller === 'server' ? {} : { caller }) })
        .then(() => {
          answered.push(caller);
          return 'done';
        })
        .catch(({ detail }) => detail.id as string);
    return { answered, ask };
  };

  it('that are held give what they have not begun to others, even what may run once only', async () => {
    await using opened = await open(2);
    const { answered, ask } = inOrder(opened.threads);
    const long = ask('a', 'busy', 1_500);
    // As many as go to each of them.
    await Promise.all(Array.from({ length: 20 }, () => ask('b', 'echo')));
    expect(answered).toEqual(Array.from({ length: 20 }, () => 'b'));
    expect(await long).toBe('done');
  });

  it('are had by callers in turns, and by the server as by any of them', async () => {
    await using opened = await open(1);
    const { answered, ask } = inOrder(opened.threads);
    const all = Array.from({ length: 6 }, () => ask('a', 'busy', 400));
    all.push(ask('b', 'echo'), ask('c', 'echo'), ask('server', 'echo'));
    expect(new Set(await Promise.all(all))).toEqual(new Set(['done']));
    expect(answered.lastIndexOf('b')).toBeLessThan(5);
    expect(answered.lastIndexOf('c')).toBeLessThan(5);
    expect(answered.lastIndexOf('server')).toBeLessThan(5);
  });

  it('take a few requests of a caller at a time, and the next when one has ended; others and the server need not wait', async () => {
    await using opened = await open(2);
    const { threads } = opened;
    const of = (caller: string, kind: string, payload: unknown = null) => ({
      ...work(kind, payload),
      caller,
    });
    for (let n = 0; n < 40; n++) threads.run(of('many', 'wait')).catch(() => {});
    expect([threads.busy, threads.waiting]).toEqual([16, 24]);
    expect(await threads.run(of('other', 'answer', 'x'))).toMatchObject({ 0: 'x' });
    expect(await threads.run(work('answer', 'y'))).toMatchObject({ 0: 'y' });
    expect([threads.busy, threads.waiting]).toEqual([16, 24]);
  });

  it('give the place of a request that has ended to the next of its caller', async () => {
    await using opened = await open(1);
    const { threads } = opened;
    const answers = Array.from({ length: 30 }, (_, n) =>
      threads.run({ ...work('answer', n), caller: 'many' }),
    );
    expect(threads.busy).toBe(8);
    expect((await Promise.all(answers)).map((answer) => (answer as [number])[0])).toEqual(
      Array.from({ length: 30 }, (_, n) => n),
    );
  });

  it('are never all held by whoever has held one for long', async () => {
    await using opened = await open(2);
    const { answered, ask } = inOrder(opened.threads);
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
    await using opened = await open(1, {}, 300);
    const { ask } = inOrder(opened.threads);
    const long = ask('a', 'busy', 900);
    const [late, patient] = await Promise.all([ask('b', 'echo'), ask('server', 'echo')]);
    expect([late, patient, await long]).toEqual(['SCRIPT_NO_TURN', 'done', 'done']);
  });

  it('that have stopped take no more work', async () => {
    const opened = await open(1);
    await opened.threads.stop();
    await expect(opened.threads.run(work('echo'))).rejects.toMatchObject({
      code: 503,
      detail: { id: 'SERVER_STOPPING' },
    });
  });
});
