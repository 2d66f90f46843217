import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, type GroupWrite, openDatabase, runUnitOfWork, UnitOfWork } from '#database/index.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const inserting = (id: number) => sql`insert into note values (${id})`;
const notes: GroupWrite<number> = {
  steps: (ids) => ids.map((id) => ({ statement: inserting(id) })),
  async run(db, ids) {
    for (const id of ids) await inserting(id).execute(db);
    return ids.map(() => true);
  },
};

/** All ways in which work asks the database for something. */
const WAYS: Readonly<Record<string, (work: UnitOfWork, id: number) => Promise<unknown>>> = {
  'a statement': async (work, id) => inserting(id).execute(await work.db()),
  'a row': (work, id) => work.write(notes, id),
  'a row for the commit': async (work, id) => work.writeAtCommit(notes, [id]),
  'a statement that nobody waits for': (work, id) => work.hold({ statement: inserting(id) }),
  'a part of its own': (work, id) => work.savepoint(async () => inserting(id).execute(await work.db())),
};

/** Begins in each of the turns that come next. */
async function inEachTurn(turns: number, ask: (turn: number) => Promise<unknown>) {
  const asked = Array.from({ length: turns }, async (_, turn) => {
    for (let past = 0; past < turn; past++) await null;
    await ask(turn);
  });
  return Promise.allSettled(asked);
}

describe('what was left behind by work that is over', () => {
  let test: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    test = await createTestDatabase();
    database = openDatabase({ url: test.url, poolSize: 3, prepares: true });
    await sql`create table note (id int primary key)`.execute(database.db);
  });
  beforeEach(() => sql`truncate note`.execute(database.db));
  afterAll(async () => {
    await database.close();
    await test[Symbol.asyncDispose]();
  });

  const ids = async () =>
    (await sql<{ id: number }>`select id from note order by id`.execute(database.db)).rows.map(
      ({ id }) => id,
    );

  describe.each(Object.entries(WAYS))('and asks for %s', (_, ask) => {
    it.each([true, false])(
      'stores nothing behind the rollback, or after it (rows may wait: %s)',
      async (mayGroup) => {
        const work = new UnitOfWork(database, { mayGroup });
        await sql`select 1`.execute(await work.db());
        const over = work.rollback();
        const late = await inEachTurn(60, (turn) => ask(work, turn));
        await over;
        await expect(ask(work, 1_000)).rejects.toThrow('this work is over');
        expect(late.filter(({ status }) => status === 'fulfilled')).toEqual([]);
        expect(await ids()).toEqual([]);
      },
    );

    it('stores nothing behind the commit, or after it', async () => {
      const work = new UnitOfWork(database);
      await inserting(1).execute(await work.db());
      const over = work.commit();
      const late = inEachTurn(60, (turn) => ask(work, 100 + turn));
      await over;
      await late;
      await expect(ask(work, 1_000)).rejects.toThrow('this work is over');
      const stored = await ids();
      // Whatever was asked for before the commit was sent belongs to it.
      expect(
        await sql`select from note n join note first on first.id = 1 where n.xmin <> first.xmin`.execute(
          database.db,
        ),
      ).toMatchObject({ rows: [] });
      expect(stored).toContain(1);
    });

    it.each([true, false])('has no say in what survived it (rows may wait: %s)', async (mayGroup) => {
      const work = new UnitOfWork(database, { mayGroup });
      const { promise: isOver, resolve } = Promise.withResolvers<void>();
      let late: Promise<unknown> = Promise.resolve();
      const part = work.savepoint(async () => {
        late = isOver.then(() => ask(work, 2));
        await work.write(notes, 1);
        throw new Error('too late');
      });
      await expect(part).rejects.toThrow('too late');
      resolve();
      await expect(late).rejects.toThrow('this work is over');
      await work.savepoint(() => work.write(notes, 3));
      await work.commit();
      expect(await ids()).toEqual([3]);
    });
  });

  it('undoes no part by itself when what it is a part of is undone', async () => {
    const work = new UnitOfWork(database);
    const { promise: isOver, resolve } = Promise.withResolvers<void>();
    let late: Promise<unknown> = Promise.resolve();
    await work.write(notes, 1);
    const outer = work.savepoint(async () => {
      late = work.savepoint(async () => {
        await work.write(notes, 2);
        await isOver;
        throw new Error('by itself');
      });
      await null;
      throw new Error('too late');
    });
    await expect(outer).rejects.toThrow('too late');
    await work.savepoint(async () => {
      await work.write(notes, 3);
      resolve();
      await expect(late).rejects.toThrow('by itself');
      await work.write(notes, 4);
    });
    await work.commit();
    expect(await ids()).toEqual([1, 3, 4]);
  });

  it('opens no transaction that nobody would end', async () => {
    const { promise: isOver, resolve } = Promise.withResolvers<void>();
    // As many as there are connections, and more.
    const late = Array.from({ length: 4 }, async () => {
      const work = new UnitOfWork(database);
      await work.rollback();
      await isOver;
      await work.db();
    });
    resolve();
    const ends = await Promise.allSettled(late);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toEqual([]);
    await runUnitOfWork(database, {}, async (work) => inserting(1).execute(await work.db()));
    expect(await ids()).toEqual([1]);
  });
});
