import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../src/database/index.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test[Symbol.asyncDispose]());

describe.each([true, false])('a transaction, statements prepared: %s', (prepares) => {
  async function open(scope: AsyncDisposableStack): Promise<Database> {
    const database = openDatabase({ url: test.url, poolSize: 2, prepares });
    scope.defer(() => database.close());
    return database;
  }
  const stateOf = async (observer: Database, session: number) => {
    const { rows } = await observer.pool.query('select state from pg_stat_activity where pid = $1', [
      session,
    ]);
    return rows[0]?.state as string;
  };
  const start = (database: Database) => database.db.startTransaction().execute();
  const session = async (database: Database) => {
    const transaction = await start(database);
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid, ${1}::int as one`.execute(
      transaction,
    );
    return { transaction, pid: rows[0]!.pid };
  };

  it('is open on the server from its first statement to its end, again and again', async () => {
    await using scope = new AsyncDisposableStack();
    const database = await open(scope);
    const observer = await open(scope);
    for (let time = 0; time < 6; time += 1) {
      const { transaction, pid } = await session(database);
      expect(await stateOf(observer, pid)).toBe('idle in transaction');
      await (time % 2 === 0 ? transaction.commit() : transaction.rollback()).execute();
      expect(await stateOf(observer, pid)).toBe('idle');
    }
  });

  it('without statements leaves nothing behind', async () => {
    await using scope = new AsyncDisposableStack();
    const database = await open(scope);
    await (await start(database)).commit().execute();
    await (await start(database)).rollback().execute();
    const { rows } = await sql<{ one: number }>`select 1 as one`.execute(database.db);
    expect(rows).toEqual([{ one: 1 }]);
  });

  it('may begin with a savepoint, and with a statement that fails', async () => {
    await using scope = new AsyncDisposableStack();
    const database = await open(scope);
    const saved = await start(database);
    const inner = await saved.savepoint('a').execute();
    await sql`create temporary table kept (n int)`.execute(inner);
    await inner.rollbackToSavepoint('a').execute();
    await expect(sql`select ${1}::int as n from kept`.execute(inner)).rejects.toMatchObject({
      code: '42P01',
    });
    await saved.rollback().execute();

    for (const bad of [sql`select 6 / ${0}::int as n`, sql`selec ${1}`, sql`selec 1`]) {
      for (let time = 0; time < 5; time += 1) {
        const failed = await start(database);
        await expect(bad.execute(failed)).rejects.toMatchObject({
          code: expect.stringMatching(/^(22012|42601)$/),
        });
        await failed.rollback().execute();
      }
    }
    const { transaction } = await session(database);
    const { rows } = await sql<{ n: number }>`select 6 / ${2}::int as n`.execute(transaction);
    await transaction.commit().execute();
    expect(rows).toEqual([{ n: 3 }]);
  });
});
