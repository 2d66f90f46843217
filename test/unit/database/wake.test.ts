import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Database, Notifier, openDatabase, runUnitOfWork, type UnitOfWork } from '#database/index.ts';
import { eventually } from '../../support/eventually.ts';
import { createMigratedDatabase } from '../../support/migrated-database.ts';

describe('a wake-up of what is committed', () => {
  let site: Database & AsyncDisposable;
  let database: Database;
  let listener: pg.Client;
  let heard: string[];
  let failures: unknown[];

  beforeAll(async () => {
    site = await createMigratedDatabase();
    await sql`create table mark (id int primary key deferrable initially deferred)`.execute(site.db);
  });
  afterAll(() => site?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    await sql`truncate mark`.execute(site.db);
    heard = [];
    failures = [];
    database = openDatabase({ url: site.url, poolSize: 3, onError: (error) => failures.push(error) });
    listener = new pg.Client({ connectionString: site.url });
    await listener.connect();
    await listener.query('listen news');
    listener.on('notification', ({ payload }) => heard.push(payload!));
  });
  afterEach(async () => {
    await listener.end();
    await database.close();
  });

  const mark = async (unit: UnitOfWork, id: number) =>
    void (await sql`insert into mark values (${id})`.execute(await unit.db()));

  /** As the server answers; one statement on a connection whose session is a listener's is told all before it. */
  async function told(): Promise<string[]> {
    await listener.query('select 1');
    return heard;
  }

  it('is sent before the commit is answered, and heard of when it can be seen', async () => {
    const notifier = new Notifier(database, 'news', () => {});
    const seen = new Promise<number>((resolve) => {
      listener.on('notification', () => {
        void listener.query('select from mark').then(({ rowCount }) => resolve(rowCount ?? 0));
      });
    });
    let effects = -1;
    await runUnitOfWork(database, {}, async (unit) => {
      await mark(unit, 1);
      unit.afterCommit('wake', notifier.wake('due'));
      const { commit } = unit;
      unit.commit = async () => {
        await commit.call(unit);
        effects = unit.effects.length;
      };
    });
    expect(effects).toBe(0);
    expect(await seen).toBe(1);
    expect(heard).toEqual(['due']);
  });

  it('goes once for all that one commit has for the same, and leaves other effects where they were', async () => {
    const notifier = new Notifier(database, 'news', () => {});
    const ran: string[] = [];
    await runUnitOfWork(database, {}, async (unit) => {
      await mark(unit, 1);
      unit.afterCommit('wake', notifier.wake('due'));
      unit.afterCommit('other', () => void ran.push('other'));
      unit.afterCommit('wake again', notifier.wake('due'));
    });
    expect(ran).toEqual(['other']);
    // It leaves behind the commit, and nobody waits for it.
    await eventually(told, (all) => all.length > 0);
    await database.pool.query(`select pg_notify('news', 'end')`);
    expect(await eventually(told, (all) => all.includes('end'))).toEqual(['due', 'end']);
  });

  it('waits for others where one has just gone', async () => {
    const notifier = new Notifier(database, 'news', () => {});
    // No time goes by between the commits, however long they take.
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
    try {
      for (const id of [1, 2, 3, 4]) {
        await runUnitOfWork(database, {}, async (unit) => {
          await mark(unit, id);
          unit.afterCommit('wake', notifier.wake('due'));
        });
      }
      vi.advanceTimersByTime(5);
    } finally {
      vi.useRealTimers();
    }
    expect(await eventually(told, (all) => all.length > 1)).toEqual(['due', 'due']);
  });

  it('comes, too, where nothing was written, and where rows of several requests are committed together', async () => {
    const notifier = new Notifier(database, 'news', () => {});
    await runUnitOfWork(database, {}, async (unit) => {
      unit.afterCommit('wake', notifier.wake('nothing'));
    });
    await eventually(told, (all) => all.includes('nothing'));
    await runUnitOfWork(database, {}, async (unit) => {
      await unit.db();
      unit.afterCommit('wake', notifier.wake('empty'));
    });
    await eventually(told, (all) => all.includes('empty'));
  });

  it('that cannot be sent is told of, and fails neither the commit nor whoever has the connection next', async () => {
    const notifier = new Notifier(database, 'x'.repeat(70), () => {});
    for (const id of [1, 2]) {
      await runUnitOfWork(database, {}, async (unit) => {
        await mark(unit, id);
        if (id === 1) unit.afterCommit('wake', notifier.wake('due'));
      });
    }
    await eventually(
      async () => failures,
      (all) => all.length > 0,
    );
    expect(String(failures[0])).toMatch('channel name too long');
    const { rows } = await sql`select id from mark order by id`.execute(database.db);
    expect(rows).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('that follows a commit which is refused does no harm: the refusal is told as ever', async () => {
    const notifier = new Notifier(database, 'news', () => {});
    const twice = runUnitOfWork(database, { attempts: 1 }, async (unit) => {
      await mark(unit, 1);
      await mark(unit, 1);
      unit.afterCommit('wake', notifier.wake('due'));
    });
    await expect(twice).rejects.toThrow(/duplicate key|exists/i);
    await runUnitOfWork(database, {}, (unit) => mark(unit, 2));
    const { rows } = await sql`select id from mark`.execute(database.db);
    expect(rows).toEqual([{ id: 2 }]);
  });
});
