import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '#database/index.ts';
import { kept } from '#lifecycle/index.ts';
import { readableGauges } from '../../../src/app/readable-gauges.ts';
import { createTestDatabase } from '../../support/postgres.ts';

describe('the figures of a node', () => {
  const scope = new AsyncDisposableStack();
  let database: Database;

  beforeAll(async () => {
    const { url } = scope.use(await createTestDatabase());
    database = openDatabase({ url, poolSize: 10, onError: () => {} });
    scope.defer(() => database.close());
  });
  afterAll(() => scope.disposeAsync());

  const help = 'Something';
  const question = async () =>
    (await sql<{ n: number }>`select 7 as n, pg_sleep(0.01)`.execute(database.db)).rows[0]?.n ?? 0;
  const readAll = (gauges: Parameters<typeof readableGauges>[0]) =>
    Promise.all(readableGauges(gauges).map(({ read }) => read()));

  it('hold one session, however many the database is asked for and whoever looks beside', async () => {
    const gauges = readableGauges(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ name, help, ask: question })),
    );
    const looks = [1, 2, 3].flatMap(() => gauges.map(({ read }) => read()));
    expect(new Set(await Promise.all(looks))).toEqual(new Set([7]));
    expect(database.pool.totalCount).toBe(1);
  });

  it('are asked for by one question where it answers several', async () => {
    let times = 0;
    const both = kept(() => {
      times += 1;
      return question();
    });
    const gauges = [1, 2, 3].map((n) => ({ name: `n${n}`, help, ask: async () => n * (await both()) }));
    expect(await readAll(gauges)).toEqual([7, 14, 21]);
    expect(times).toBe(1);
  });

  it('are not a number where the database fails, and the others are told', async () => {
    const failing = {
      name: 'a',
      help,
      ask: async () => Number((await sql`select 1/0`.execute(database.db)).rows),
    };
    const here = { name: 'c', help, read: () => 3 };
    expect(await readAll([failing, { name: 'b', help, ask: question }, here])).toEqual([Number.NaN, 7, 3]);
  });

  it('wait for no answer that stays away, and nobody asks later what nobody waits for any more', async () => {
    const silent = Promise.withResolvers<number>();
    let times = 0;
    const late = async () => {
      times += 1;
      return question();
    };
    const gauges = readableGauges([
      { name: 'a', help, ask: () => silent.promise },
      { name: 'b', help, ask: late },
      { name: 'c', help, read: () => 3 },
    ]);
    const look = () => Promise.all(gauges.map(({ read }) => read()));
    expect(await look()).toEqual([Number.NaN, Number.NaN, 3]);
    silent.resolve(1);
    expect(await look()).toEqual([1, 7, 3]);
    expect(times).toBe(1);
  });
});
