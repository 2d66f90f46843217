import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inRightThread } from '#platform/index.ts';
import { resource, rootContext } from '#resource/index.ts';
import { ScriptThreads } from '#script/index.ts';

const PROTOCOL = new URL('../../../src/script/thread-protocol.ts', import.meta.url);

/** A thread that never answers for what is called `slow`. */
const ENTRY = `
  import { parentPort, workerData } from 'node:worker_threads';
  import { takeOffer } from '${PROTOCOL}';
  workerData.foundation.close();
  parentPort.on('message', ({ type, id, offer, payload }) => {
    if (type === 'stop') process.exit(0);
    if (!takeOffer(workerData.shared, offer) || payload.request.path[0] === 'slow') return;
    parentPort.postMessage({ type: 'done', id, value: payload.request.path });
  });
  Atomics.store(workerData.shared, 2, process.hrtime.bigint() / 1_000_000n);
  parentPort.postMessage({ type: 'ready' });
`;

describe('requests that may run scripts', () => {
  const file = join(tmpdir(), `svc-right-thread-${crypto.randomUUID()}.mjs`);
  beforeAll(() => writeFile(file, ENTRY));
  afterAll(() => rm(file, { force: true }));

  /** One thread, and what it has answered. */
  async function start() {
    const threads = new ScriptThreads({ count: 1, entry: pathToFileURL(file), data: {}, observe: () => {} });
    await threads.start();
    const toThread = inRightThread({ runsScripts: () => true } as never, threads);
    const answered: string[] = [];
    const ask = (path: string, remoteAddress: string, facts: object) => {
      const authorization = { id: 'anonymous', component: 'repo/internal/user', roles: [], ...facts };
      const client = { isExternal: true, remoteAddress, remotePort: 1, userAgent: '', isSecure: false };
      const context = rootContext({
        id: 'r1',
        transactionId: 'r1',
        receivedAt: 0,
        security: { authenticationId: 'anonymous', authorization },
        client,
        http: null,
      });
      const request = { method: 'read', path: [path], fields: [], parameters: {} } as const;
      return toThread(context, request, async () => resource(null, null, {})).then(
        () => void answered.push(path),
        () => {},
      );
    };
    /** As many as one caller may have in a thread, and one more. */
    const crowd = (...[address, facts]: [string, object]) => {
      for (let n = 0; n < 9; n += 1) void ask('slow', address, facts);
    };
    return { ask, crowd, answered, [Symbol.asyncDispose]: () => threads.stop() };
  }

  it.each([
    ['of whoever says to be nobody', { moduleId: 'STATIC_USER' }],
    ['of a session of such a one', { moduleId: 'JWT_SESSION', loginModuleId: 'STATIC_USER' }],
  ])('%s wait for no others than those of their network', async (_, facts) => {
    await using asking = await start();
    asking.crowd('2001:db8:0:1::5', facts);
    await asking.ask('quick', '198.51.100.7', facts);
    expect(asking.answered).toEqual(['quick']);
  });

  it.each([
    ['a network of whoever says to be nobody', { moduleId: 'STATIC_USER' }, '2001:db8:0:1::6'],
    ['one caller', { moduleId: 'MANAGED_USER' }, '198.51.100.7'],
  ])('have no more than their share of a thread, all those of %s together', async (_, facts, elsewhere) => {
    await using asking = await start();
    asking.crowd('2001:db8:0:1::5', facts);
    void asking.ask('late', elsewhere, facts);
    await asking.ask('other', elsewhere, { ...facts, id: 'kim' });
    expect(asking.answered).toEqual(['other']);
  });
});
