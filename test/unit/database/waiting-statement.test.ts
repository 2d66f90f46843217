import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase, runUnitOfWork } from '#database/index.ts';
import { eventually } from '../../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

describe('work that gives up while its statement waits for a lock', () => {
  let test: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    test = await createTestDatabase();
    database = openDatabase({ url: test.url, poolSize: 4 });
    await database.pool.query('create table held (id int primary key, n int not null)');
    await database.pool.query('insert into held values (1, 0), (2, 0)');
  });
  afterAll(async () => {
    await database.close();
    await test[Symbol.asyncDispose]();
  });

  /** Somebody with psql has forgotten a transaction, until the callback has ended. */
  const whileHeld = async (work: () => Promise<void>) => {
    const psql = await database.pool.connect();
    await psql.query('begin');
    await psql.query('update held set n = 1 where id = 1');
    try {
      await work();
    } finally {
      await psql.query('rollback');
      psql.release();
    }
  };
  const waiters = async () => {
    const { rows } = await database.pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rows.length;
  };

  it.each([0, 1])('is rolled back at once, and its connection serves on (at depth %i)', async (callers) => {
    await whileHeld(async () => {
      const work = runUnitOfWork(database, { callers }, async (unitOfWork) => {
        const db = await unitOfWork.db();
        await sql`update held set n = 5 where id = 2`.execute(db);
        void sql`update held set n = 5 where id = 1`.execute(db).catch(() => undefined);
        await eventually(waiters, (n) => n === 1);
        throw new Error('time is over');
      });
      await expect(work).rejects.toThrow('time is over');
      expect(await waiters()).toBe(0);
      const again = runUnitOfWork(database, { callers }, async (unitOfWork) => {
        const { rows } = await sql<{ n: number }>`select n from held where id = 2`.execute(
          await unitOfWork.db(),
        );
        return rows;
      });
      expect(await again).toEqual([{ n: 0 }]);
    });
  });

  it('goes on where only a part of it has given up', async () => {
    await whileHeld(async () => {
      await runUnitOfWork(database, {}, async (unitOfWork) => {
        const db = await unitOfWork.db();
        await sql`update held set n = 7 where id = 2`.execute(db);
        const part = unitOfWork.savepoint(async () => {
          void sql`update held set n = 7 where id = 1`.execute(db).catch(() => undefined);
          await eventually(waiters, (n) => n === 1);
          throw new Error('time is over');
        });
        await expect(part).rejects.toThrow('time is over');
      });
    });
    const { rows } = await database.pool.query('select id, n from held order by id');
    expect(rows).toEqual([
      { id: 1, n: 0 },
      { id: 2, n: 7 },
    ]);
  });
});
