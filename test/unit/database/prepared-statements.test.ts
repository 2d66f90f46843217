import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../src/database/index.ts';
import { PreparedStatements } from '../../../src/database/pool/prepared-statements.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test[Symbol.asyncDispose]());

const add = (database: Database, number: number) =>
  sql<{ sum: number }>`select ${number}::int + 1 as sum`.execute(database.db);
const prepared = async (database: Database) => {
  const { rows } = await database.pool.query('select statement from pg_prepared_statements');
  return rows.map(({ statement }) => statement as string);
};

describe('statements', () => {
  it('that come again and again are prepared, and answer as before', async () => {
    await using scope = new AsyncDisposableStack();
    const database = openDatabase({ url: test.url, poolSize: 1, prepares: true });
    scope.defer(() => database.close());
    await database.pool.query('select 1');
    const sums: number[] = [];
    for (let number = 0; number < 10; number += 1) sums.push((await add(database, number)).rows[0]!.sum);
    expect(sums).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect((await prepared(database)).filter((text) => text.includes('as sum'))).toHaveLength(1);
  });

  it('that fail when prepared say so as before, and do not spoil the next', async () => {
    await using scope = new AsyncDisposableStack();
    const database = openDatabase({ url: test.url, poolSize: 1, prepares: true });
    scope.defer(() => database.close());
    const divide = (by: number) =>
      sql<{ ratio: number }>`select 6 / ${by}::int as ratio`.execute(database.db);
    for (let time = 0; time < 6; time += 1) await divide(2);
    await expect(divide(0)).rejects.toMatchObject({ code: '22012' });
    expect((await divide(3)).rows).toEqual([{ ratio: 2 }]);
  });

  it('are not prepared where a pooler could not bear it', async () => {
    await using scope = new AsyncDisposableStack();
    const database = openDatabase({ url: test.url, poolSize: 1 });
    scope.defer(() => database.close());
    for (let number = 0; number < 10; number += 1) await add(database, number);
    expect(await prepared(database)).toEqual([]);
  });
});

describe('names', () => {
  const name = (statements: PreparedStatements, text: string, times = 4) => {
    let last: string | undefined;
    for (let time = 0; time < times; time += 1) last = statements.nameOf(text);
    return last;
  };

  it('are given from the fourth time on, and stay', () => {
    const statements = new PreparedStatements();
    expect(name(statements, 'select 1', 3)).toBeUndefined();
    const given = statements.nameOf('select 1');
    expect(given).toBeDefined();
    expect(statements.nameOf('select 1')).toBe(given);
    expect(name(statements, 'select 2')).not.toBe(given);
  });

  it.each([
    'select * from managed_object',
    'update t set a = 1 returning *',
    'select o.* from t o',
    'begin',
    'set local lock_timeout = 1',
    'create table t ()',
  ])('are not given to: %s', (text) => {
    expect(name(new PreparedStatements(), text, 10)).toBeUndefined();
  });

  it('of what comes all the time stay, and others make room for those that come', () => {
    const statements = new PreparedStatements();
    const given = name(statements, 'select 0');
    for (let index = 1; index <= 1_000; index += 1) {
      expect(name(statements, `select ${index}`)).toBeDefined();
      expect(statements.nameOf('select 0')).toBe(given);
    }
    expect(statements.nameOf('select 1')).toBeUndefined();
    expect(statements.nameOf('select 1000')).toBeDefined();
  });

  it('are as many as a pooler can bear, which forgets none', () => {
    const statements = new PreparedStatements({ makesRoom: false });
    const names = Array.from({ length: 1_000 }, (_, index) => name(statements, `select ${index}`));
    expect(names.filter((given) => given !== undefined)).toHaveLength(500);
    expect(new Set(names.slice(0, 500)).size).toBe(500);
  });
});

describe('a connection', () => {
  it('forgets statements that have made room, and goes on with those that came between and after', async () => {
    await using scope = new AsyncDisposableStack();
    const database = openDatabase({ url: test.url, poolSize: 1, prepares: true });
    scope.defer(() => database.close());
    const ask = async (index: number) => {
      const { rows } = await sql<{ sum: number }>`select ${index}::int + ${sql.lit(index)} as sum`.execute(
        database.db,
      );
      expect(rows).toEqual([{ sum: index * 2 }]);
    };
    const askOften = async (index: number) => {
      for (let time = 0; time < 4; time += 1) await ask(index);
    };
    await askOften(0);
    for (let index = 1; index <= 700; index += 1) {
      await askOften(index);
      await ask(0);
    }
    const known = await prepared(database);
    expect(known.length).toBeLessThanOrEqual(560);
    expect(known).toContain('select $1::int + 0 as sum');
    expect(known).not.toContain('select $1::int + 1 as sum');
    await askOften(1);
    expect(await prepared(database)).toContain('select $1::int + 1 as sum');
  });
});
