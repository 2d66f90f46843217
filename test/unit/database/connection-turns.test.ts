import { describe, expect, it } from 'vitest';
import { type Asker, ConnectionTurns, type Use } from '../../../src/database/pool/connection-turns.ts';

const PATIENT_MS = 60_000;

/** Ten connections, of which callers have seven together, and three each. */
function tenConnections(patienceMs = PATIENT_MS) {
  const turns = new ConnectionTurns({ connections: 10, patienceMs });
  const inside = new Map<string, (() => void)[]>();
  const ask = async (who: string, use: Use, more: Partial<Asker> = {}) => {
    const leave = await turns.enter(use, who === 'server' ? undefined : { line: who, ...more });
    inside.set(who, [...(inside.get(who) ?? []), leave]);
  };
  return {
    ask,
    /** @returns how many have their turn of those who ask at once */
    async askOften(who: string, times: number, use: Use = 'transaction') {
      for (let time = 0; time < times; time += 1) void ask(who, use).catch(() => undefined);
      await settled();
      return inside.get(who)?.length ?? 0;
    },
    held: (who: string) => inside.get(who)?.length ?? 0,
    async leave(who: string) {
      inside.get(who)?.shift()?.();
      await settled();
    },
  };
}

/** What can begin has begun then. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const failure = (asked: Promise<unknown>) =>
  asked.then(
    () => 'had its turn',
    ({ code, detail }: { code: number; detail?: object }) => ({ code, ...detail }),
  );

describe('the connections of a pool', () => {
  it('are held by one caller up to its share, by transactions and queries together, and its next ones wait for those before', async () => {
    const turns = tenConnections();
    expect(await turns.askOften('mia', 2)).toBe(2);
    expect(await turns.askOften('mia', 2, 'statement')).toBe(3);
    expect(await turns.askOften('eve', 1)).toBe(1);
    await turns.leave('mia');
    expect(turns.held('mia')).toBe(3);
  });

  it('are left to the server by all callers together, however many', async () => {
    const turns = tenConnections();
    const callers = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const caller of callers) await turns.askOften(caller, 20);
    expect(callers.map((caller) => turns.held(caller))).toEqual([3, 3, 1, 0, 0, 0]);
    expect(await turns.askOften('server', 3)).toBe(2);
    await turns.leave('a');
    await turns.leave('server');
    expect(turns.held('server')).toBe(2);
  });

  it('come first to callers who have least, then in turns', async () => {
    const turns = tenConnections();
    await turns.askOften('a', 10);
    await turns.askOften('b', 10);
    await turns.askOften('c', 10);
    await turns.askOften('d', 1);
    await turns.leave('b');
    expect([turns.held('c'), turns.held('d')]).toEqual([1, 1]);
    await turns.leave('b');
    expect([turns.held('b'), turns.held('c')]).toEqual([2, 1]);
    await turns.leave('a');
    expect([turns.held('a'), turns.held('b'), turns.held('c')]).toEqual([2, 2, 2]);
  });

  it('come to callers while the server always has more to do', async () => {
    const turns = tenConnections();
    await turns.askOften('server', 30);
    await turns.askOften('a', 2);
    expect(turns.held('a')).toBe(0);
    await turns.leave('server');
    await turns.leave('server');
    expect(turns.held('a')).toBe(1);
  });

  it('are there for what a transaction waits for, though its caller has all of its own', async () => {
    const turns = tenConnections();
    await turns.askOften('a', 20);
    await turns.ask('a', 'statement', { isOnTheWay: true });
    expect(turns.held('a')).toBe(4);
  });

  it('are waited for by a hundred of one caller, and by nobody who has left', async () => {
    const turns = tenConnections();
    await turns.askOften('a', 102);
    const left = new AbortController();
    const leaving = failure(turns.ask('a', 'transaction', { left: left.signal }));
    expect(await failure(turns.ask('a', 'transaction'))).toEqual({
      code: 429,
      id: 'DB_TOO_MANY',
      hint: expect.any(String),
      retryAfterSeconds: 5,
    });
    left.abort();
    expect(await leaving).toMatchObject({ code: 408, id: 'NOBODY_WAITS' });
    expect(await failure(turns.ask('a', 'transaction', { left: left.signal }))).toMatchObject({ code: 408 });
    expect(await failure(turns.ask('c', 'transaction', { left: left.signal }))).toBe('had its turn');
    await turns.leave('c');
    await turns.askOften('a', 1);
    for (let time = 0; time < 103; time += 1) await turns.leave('a');
    expect(turns.held('a')).toBe(0);
    expect(await turns.askOften('b', 5)).toBe(3);
  });

  it('are waited for no longer than somebody waits for an answer, and who has all of its own is told the number', async () => {
    const turns = tenConnections(30);
    await turns.askOften('a', 3);
    expect(await failure(turns.ask('a', 'statement'))).toEqual({
      code: 429,
      id: 'DB_SHARE_TAKEN',
      hint: expect.any(String),
      atOnce: 3,
      retryAfterSeconds: 5,
    });
    await turns.askOften('b', 3);
    await turns.askOften('c', 1);
    expect(await failure(turns.ask('d', 'transaction'))).toMatchObject({ code: 503, id: 'DB_BUSY' });
    await turns.leave('a');
    expect(await failure(turns.ask('d', 'transaction'))).toBe('had its turn');
  });
});
