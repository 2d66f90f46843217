import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, type Db, LOCK, lockNamed, openDatabase, tryLockNamed } from '#database/index.ts';
import { tryingAll } from '../../../src/database/lock/named-lock.ts';
import { createSchemaDatabase } from '../../support/migrated-database.ts';

const SOURCES = new URL('../../../src/', import.meta.url).pathname;

let database: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  const schema = await createSchemaDatabase();
  database = openDatabase({ url: schema.url, poolSize: 2 });
  close = async () => {
    await database.close();
    await schema[Symbol.asyncDispose]();
  };
});
afterAll(() => close());

/** What somebody else is answered while a lock is held. */
async function beside<T>(hold: (db: Db) => Promise<void>, ask: (db: Db) => Promise<T>): Promise<T> {
  const holder = await database.db.startTransaction().execute();
  try {
    await hold(holder);
    return await database.db.transaction().execute(ask);
  } finally {
    await holder.rollback().execute();
  }
}
const answer = async <T>(db: Db, asked: RawBuilder<T>) => (await asked.execute(db)).rows[0];

describe('a lock by name', () => {
  it.each([
    LOCK.conditionsOf('role'),
    LOCK.derivationsOf('user'),
    LOCK.uniqueValue('managed/user', 'userName', 'ada'),
    LOCK.newObject('user', 'ada'),
    LOCK.endOfEdges('managed/user', 'ada'),
    LOCK.startsOf('ada'),
    LOCK.deployment,
    LOCK.sealing,
  ])('%s is held alone, and until the end of the transaction', async (name) => {
    const hold = (db: Db) => lockNamed(db, name);
    expect(await beside(hold, (db) => tryLockNamed(db, name))).toBe(false);
    expect(await beside(hold, (db) => tryLockNamed(db, `${name}, another`))).toBe(true);
    expect(await database.db.transaction().execute((db) => tryLockNamed(db, name))).toBe(true);
  });

  it('is held in common by several, and by nobody alone meanwhile', async () => {
    const name = LOCK.derivationsOf('user');
    const inCommon = (db: Db) => lockNamed(db, name, 'in common');
    await expect(beside(inCommon, inCommon)).resolves.toBeUndefined();
    expect(await beside(inCommon, (db) => tryLockNamed(db, name))).toBe(false);
  });

  it('is the same where several are tried at once', async () => {
    const names = [LOCK.startsOf('ada'), LOCK.startsOf('ben')];
    const tried = await beside(
      (db) => lockNamed(db, names[1]!),
      async (db) => (await tryingAll(names).execute(db)).rows.map(({ held }) => held),
    );
    expect(tried).toEqual([true, false]);
  });

  it.each<[string, string, RawBuilder<{ is: boolean }>]>([
    ['has_room', LOCK.startsOf('ada'), sql`select has_room('ada', 1, 5) as is`],
    ['is_unconditioned', LOCK.conditionsOf('role'), sql`select is_unconditioned('role', 'condition') as is`],
  ])('is the one that the function %s of the database takes', async (_function, name, asked) => {
    const ask = (db: Db) => answer(db, asked);
    expect(await beside((db) => lockNamed(db, name), ask)).toEqual({ is: false });
    expect(await beside((db) => lockNamed(db, `${name}, another`), ask)).toEqual({ is: true });
  });

  it('is asked for through this one module', async () => {
    const files = (await readdir(SOURCES, { recursive: true })).filter((name) => name.endsWith('.ts'));
    const elsewhere: string[] = [];
    for (const file of files.filter((name) => !name.startsWith('database/'))) {
      if (/pg_\w*advisory/.test(await readFile(join(SOURCES, file), 'utf8'))) elsewhere.push(file);
    }
    expect(files.length).toBeGreaterThan(1_000);
    expect(elsewhere).toEqual([]);
  });
});
