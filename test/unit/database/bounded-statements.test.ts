import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, type Db, openDatabase, UnitOfWork } from '../../../src/database/index.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const MOST_MS = 300;
let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test[Symbol.asyncDispose]());

describe.each([
  { prepares: true, pooled: false },
  { prepares: false, pooled: true },
])('a statement that a caller has made up: %j', ({ prepares, pooled }) => {
  let database: Database;
  beforeAll(() => {
    database = openDatabase({ url: test.url, poolSize: 2, prepares, pooled, mostQueryMs: MOST_MS });
  });
  afterAll(() => database.close());

  /** Nobody would live to see its end. */
  const endless = (db: Db) => sql`select pg_sleep(${1_000_000}::int)`.execute(db);
  const timeout = async (db: Db) =>
    (await sql<{ most: string }>`select current_setting('statement_timeout') as most`.execute(db)).rows[0]
      ?.most;
  const refused = expect.objectContaining({
    code: 422,
    detail: expect.objectContaining({ id: 'QUERY_TOO_SLOW', seconds: MOST_MS / 1_000 }),
  });

  it('is ended by Postgres, and its connection has no bound for others', async () => {
    for (let time = 0; time < 6; time += 1) {
      const ends = [
        endless(database.bounded(database.db, { line: 'mia' })),
        endless(database.bounded(database.db, { line: 'mia' })),
      ];
      await Promise.all(ends.map((end) => expect(end).rejects.toEqual(refused)));
      expect(await Promise.all([timeout(database.db), timeout(database.db)])).toEqual(['0', '0']);
      expect(await timeout(database.bounded(database.db, { line: 'mia' }))).toBe(`${MOST_MS}ms`);
    }
  });

  it('leaves a transaction without a bound, and at its savepoint where it has failed', async () => {
    const work = new UnitOfWork(database);
    const db = await work.db();
    await sql`create temporary table kept on commit drop as select 1 as n`.execute(db);
    expect(await timeout(database.bounded(db, { line: 'mia' }))).toBe(`${MOST_MS}ms`);
    expect(await timeout(db)).toBe('0');
    await expect(work.savepoint(() => endless(database.bounded(db, { line: 'mia' })))).rejects.toEqual(
      refused,
    );
    expect(await timeout(db)).toBe('0');
    expect((await sql`select n from kept`.execute(db)).rows).toEqual([{ n: 1 }]);
    await work.commit();
  });

  it.each(['200ms', '1s', '2min', '3h'])(
    'has no more time than a transaction has: %s, and leaves it that',
    async (given) => {
      const work = new UnitOfWork(database);
      const db = await work.db();
      await sql`select set_config('statement_timeout', ${given}, true)`.execute(db);
      const expected = given === '200ms' ? given : `${MOST_MS}ms`;
      expect(await timeout(database.bounded(db, { line: 'mia' }))).toBe(expected);
      expect(await timeout(db)).toBe(given);
      await work.rollback();
    },
  );

  it('that fails otherwise says so', async () => {
    await expect(
      sql`select 1 / ${0}::int`.execute(database.bounded(database.db, { line: 'mia' })),
    ).rejects.toMatchObject({
      code: '22012',
    });
  });

  it('waits for others of its caller, of whom a hundred wait at most, and keeps nobody else waiting', async () => {
    const many = Array.from({ length: 120 }, () =>
      endless(database.bounded(database.db, { line: 'eve' })).then(
        () => undefined,
        (error: { code?: unknown }) => error.code,
      ),
    );
    expect(await timeout(database.bounded(database.db, { line: 'mia' }))).toBe(`${MOST_MS}ms`);
    expect(await timeout(database.db)).toBe('0');
    const late = await Promise.all(many.slice(-19));
    expect(late).toEqual(late.map(() => 429));
    expect(await many[0]).toBe(422);
  });
});
