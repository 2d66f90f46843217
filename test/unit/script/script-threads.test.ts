import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Observation } from '#observability/index.ts';
import { ScriptThreads } from '#script/index.ts';

/** A thread that does as its work says: answers, dies, or holds on past a deadline that it has announced. */
const ENTRY = `
  import { parentPort, workerData } from 'node:worker_threads';
  if (workerData.stillborn !== undefined && Atomics.add(workerData.stillborn, 0, -1) > 0) process.exit(3);
  parentPort.on('message', (message) => {
    if (message.type === 'stop') process.exit(0);
    if (message.type === 'reload') return parentPort.postMessage({ type: 'done', id: message.id, value: null });
    const { kind, payload, id } = message;
    if (kind === 'die') process.exit(7);
    if (kind === 'hold') {
      Atomics.store(workerData.shared, 1, BigInt(id));
      Atomics.store(workerData.shared, 0, process.hrtime.bigint() / 1_000_000n);
      for (;;) {}
    }
    if (kind === 'wait') return;
    parentPort.postMessage({ type: 'done', id, value: [payload, workerData.thread] });
  });
  Atomics.store(workerData.shared, 2, process.hrtime.bigint() / 1_000_000n);
  parentPort.postMessage({ type: 'ready' });
`;

describe('script threads', () => {
  const file = join(tmpdir(), `svc-thread-${crypto.randomUUID()}.mjs`);
  beforeAll(() => writeFile(file, ENTRY));
  afterAll(() => rm(file, { force: true }));

  async function open(count: number, data: Record<string, unknown> = {}) {
    const observations: Observation[] = [];
    const threads = new ScriptThreads({
      count,
      entry: pathToFileURL(file),
      data,
      observe: (observation) => void observations.push(observation),
    });
    await threads.start();
    return { threads, observations, [Symbol.asyncDispose]: () => threads.stop() };
  }

  const work = (kind: string, payload: unknown = null, repeatable = false) => ({ kind, payload, repeatable });

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

  it('that have stopped take no more work', async () => {
    const opened = await open(1);
    await opened.threads.stop();
    await expect(opened.threads.run(work('echo'))).rejects.toMatchObject({
      code: 503,
      detail: { id: 'SERVER_STOPPING' },
    });
  });
});
