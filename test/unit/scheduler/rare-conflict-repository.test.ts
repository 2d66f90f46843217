import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '#database/index.ts';
import {
  DO_NOTHING,
  type OnConflict,
  RareConflict,
} from '../../../src/scheduler/store/rare-conflict-repository.ts';
import { createMigratedDatabase } from '../../support/migrated-database.ts';

describe('a row that is there already', () => {
  let database: Database & AsyncDisposable;
  beforeAll(async () => {
    database = await createMigratedDatabase();
  });
  afterAll(() => database?.[Symbol.asyncDispose]());
  const asked: OnConflict[] = [];

  function insert(id: number) {
    return async (onConflict: OnConflict) => {
      asked.push(onConflict);
      const { rows } = await sql`insert into kept (id) values (${id}) ${onConflict} returning id`.execute(
        database.db,
      );
      return rows.length;
    };
  }

  it('is met by a statement that is ready for it, which costs nothing as long as there is none', async () => {
    await sql`create table kept (id int primary key)`.execute(database.db);
    const conflicts = new RareConflict();
    expect(await conflicts.meet(insert(1))).toBe(1);
    expect(await conflicts.meet(insert(2))).toBe(1);
    expect(asked).not.toContain(DO_NOTHING);
    expect(await conflicts.meet(insert(2))).toBe(0);
    asked.length = 0;
    expect(await conflicts.meet(insert(1))).toBe(0);
    expect(asked).toEqual([DO_NOTHING]);
  });

  it('is the only failure that is', async () => {
    const failing = () => sql`select 1 / 0`.execute(database.db);
    await expect(new RareConflict().meet(failing)).rejects.toThrow('division by zero');
  });
});
