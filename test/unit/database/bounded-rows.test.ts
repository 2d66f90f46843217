import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, type Db, openDatabase } from '../../../src/database/index.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const MOST = 1_000_000;
let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test[Symbol.asyncDispose]());

describe.each([true, false])(
  'a statement that answers with too much, statements prepared: %s',
  (prepares) => {
    let database: Database;
    beforeAll(() => {
      database = openDatabase({ url: test.url, poolSize: 2, prepares, mostRowBytes: MOST });
    });
    afterAll(() => database.close());

    /** Nobody would live to see its end. */
    const endless = (db: Db) =>
      sql`select repeat('x', ${1_000}::int) as text, generate_series(1, 1000000000000)`.execute(db);
    const one = async (db: Db) => (await sql<{ one: number }>`select ${1}::int as one`.execute(db)).rows;
    const refused = expect.objectContaining({
      code: 413,
      detail: expect.objectContaining({ id: 'ANSWER_TOO_LARGE', allowed: MOST }),
    });

    it('fails with the number and is ended in Postgres, and nothing after it is cancelled', async () => {
      for (let time = 0; time < 8; time += 1) {
        await expect(endless(database.db)).rejects.toEqual(refused);
        expect(await Promise.all([one(database.db), one(database.db)])).toEqual([[{ one: 1 }], [{ one: 1 }]]);
      }
    });

    it('leaves a transaction at its savepoint', async () => {
      const transaction = await database.startTransaction(0);
      await sql`create temporary table kept on commit drop as select 1 as n`.execute(transaction);
      const inner = await transaction.savepoint('a').execute();
      await expect(endless(inner)).rejects.toEqual(refused);
      await inner.rollbackToSavepoint('a').execute();
      expect((await sql`select n from kept`.execute(transaction)).rows).toEqual([{ n: 1 }]);
      await transaction.commit().execute();
      database.endTransaction(transaction);
    });

    it('is told from many that answer with a little each', async () => {
      for (let time = 0; time < 30; time += 1) {
        const { rows } = await sql`select repeat('x', ${90_000}::int) as text`.execute(database.db);
        expect(rows).toHaveLength(1);
      }
    });
  },
);
