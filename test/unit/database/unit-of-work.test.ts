import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase, runUnitOfWork } from '#database/index.ts';
import { ResourceError } from '#errors/index.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

describe('a unit of work', () => {
  let test: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    test = await createTestDatabase();
    database = openDatabase({ url: test.url });
    await sql`create table note (id int primary key, text text)`.execute(database.db);
  });
  beforeEach(() => sql`truncate note`.execute(database.db));
  afterAll(async () => {
    await database.close();
    await test[Symbol.asyncDispose]();
  });

  const insert = async (db: Awaited<ReturnType<typeof firstDb>>, id: number, text = 'x') =>
    sql`insert into note values (${id}, ${text})`.execute(db);
  const firstDb = () => Promise.resolve(database.db);
  const ids = async () =>
    (await sql<{ id: number }>`select id from note order by id`.execute(database.db)).rows.map(
      (row) => row.id,
    );

  it('commits when it resolves', async () => {
    await runUnitOfWork(database, {}, async (work) => insert(await work.db(), 1));
    expect(await ids()).toEqual([1]);
  });

  it('leaves nothing behind when it rejects', async () => {
    const failing = runUnitOfWork(database, {}, async (work) => {
      await insert(await work.db(), 1);
      throw new ResourceError(418, 'no');
    });
    await expect(failing).rejects.toMatchObject({ code: 418 });
    expect(await ids()).toEqual([]);
  });

  it('opens no transaction when nothing is asked of the database', async () => {
    const before = database.pool.totalCount;
    expect(await runUnitOfWork(database, {}, async () => 'nothing')).toBe('nothing');
    expect(database.pool.totalCount).toBe(before);
  });

  it('refuses a statement that is one too many, whatever survives it, and still rolls back', async () => {
    let left = 3;
    const onStatement = () => {
      if (left-- <= 0) throw new ResourceError(422, 'too many');
    };
    const failing = runUnitOfWork(database, { onStatement }, async (work) => {
      const db = await work.db();
      await insert(db, 1);
      await work.savepoint(async () => insert(await work.db(), 2));
      await work.savepoint(async () => insert(await work.db(), 1)).catch(() => undefined);
      await insert(db, 3);
    });
    await expect(failing).rejects.toMatchObject({ code: 422 });
    expect(await ids()).toEqual([]);
    await runUnitOfWork(database, {}, async (work) => insert(await work.db(), 4));
    expect(await ids()).toEqual([4]);
  });

  it('undoes a part that fails under a savepoint, and goes on', async () => {
    await runUnitOfWork(database, {}, async (work) => {
      const db = await work.db();
      await insert(db, 1);
      const part = work.savepoint(async () => {
        await insert(db, 2);
        await insert(db, 1);
      });
      await expect(part).rejects.toThrow(/duplicate key/);
      await insert(db, 3);
    });
    expect(await ids()).toEqual([1, 3]);
  });

  it('forgets the changes and effects of a part that failed', async () => {
    const done: string[] = [];
    await runUnitOfWork(database, {}, async (work) => {
      work.afterCommit('kept', () => void done.push('kept'));
      await work
        .savepoint(async () => {
          work.afterCommit('undone', () => void done.push('undone'));
          work.record({ resource: 'note/2', operation: 'create', before: null, after: {} });
          throw new Error('caught');
        })
        .catch(() => {});
      expect(work.changes).toEqual([]);
    });
    expect(done).toEqual(['kept']);
  });

  it('nests savepoints, each undone by itself', async () => {
    await runUnitOfWork(database, {}, async (work) => {
      const db = await work.db();
      await work.savepoint(async () => {
        await insert(db, 1);
        await work
          .savepoint(async () => {
            await insert(db, 2);
            throw new Error('inner');
          })
          .catch(() => {});
        await insert(db, 3);
      });
    });
    expect(await ids()).toEqual([1, 3]);
  });

  it('has a statement that nobody waits for leave with the next one, and fail it with what that means', async () => {
    await insert(database.db, 1);
    const held = (id: number) => ({
      statement: sql`insert into note values (${id}, 'held') returning id`,
      meaning: () => new ResourceError(409, `note ${id} is there`),
    });
    const late = runUnitOfWork(database, {}, async (work) => {
      await work.hold(held(1));
      // Refused only because of what goes before it.
      await sql`select * from note`.execute(await work.db());
    });
    await expect(late).rejects.toMatchObject({ code: 409 });
    await expect(runUnitOfWork(database, {}, (work) => work.hold(held(1)))).rejects.toMatchObject({
      code: 409,
    });
    await expect(
      runUnitOfWork(database, {}, (work) =>
        work.hold({
          ...held(5),
          check(rows) {
            throw new ResourceError(410, `${rows.length} kept`);
          },
        }),
      ),
    ).rejects.toMatchObject({ code: 410, message: '1 kept' });
    await runUnitOfWork(database, {}, async (work) => {
      await work.savepoint(() => work.hold(held(1))).catch(() => undefined);
      await work.hold(held(2));
      const asked = [3, 4].map(async (id) => insert(await work.db(), id));
      await Promise.all(asked);
    });
    expect(await ids()).toEqual([1, 2, 3, 4]);
  });

  it('says of several statements that were asked together why the first failed', async () => {
    await insert(database.db, 1);
    const failing = runUnitOfWork(database, {}, async (work) => {
      const db = await work.db();
      const outcomes = await Promise.allSettled([insert(db, 2), insert(db, 1), insert(db, 3)]);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
      throw (outcomes[2] as PromiseRejectedResult).reason;
    });
    await expect(failing).rejects.toMatchObject({ detail: { id: 'DB_DUPLICATE' } });
    expect(await ids()).toEqual([1]);
  });

  it('causes its effects after the commit, when others can see the data', async () => {
    let seen: number[] = [];
    await runUnitOfWork(database, {}, async (work) => {
      await insert(await work.db(), 7);
      work.afterCommit('look', async () => {
        seen = await ids();
      });
    });
    expect(seen).toEqual([7]);
  });

  it('tells of an effect that failed where that is wanted, and keeps what was stored', async () => {
    const failed: string[] = [];
    const work = runUnitOfWork(
      database,
      { onEffectError: (what) => void failed.push(what) },
      async (unitOfWork) => {
        await insert(await unitOfWork.db(), 1);
        unitOfWork.afterCommit('quiet', () => Promise.reject(new Error('quiet')));
        unitOfWork.afterCommit('told', () => Promise.reject(new Error('not everywhere')), { isTold: true });
      },
    );
    await expect(work).rejects.toThrow('not everywhere');
    expect(failed).toEqual(['quiet']);
    expect(await ids()).toEqual([1]);
  });

  it('does everything for real in a dry run, and then nothing has happened', async () => {
    const effects: string[] = [];
    const count = await runUnitOfWork(database, { dryRun: true }, async (work) => {
      const db = await work.db();
      await insert(db, 1);
      work.afterCommit('never', () => void effects.push('never'));
      return (await sql<{ n: number }>`select count(*) as n from note`.execute(db)).rows[0]!.n;
    });
    expect(count).toBe(1);
    expect(await ids()).toEqual([]);
    expect(effects).toEqual([]);
  });

  it('runs again from the start when Postgres finds a deadlock', async () => {
    await sql`insert into note values (1, 'a'), (2, 'b')`.execute(database.db);
    const retries: string[] = [];
    let first: () => void = () => {};
    let second: () => void = () => {};
    const firstHasLock = new Promise<void>((resolve) => {
      first = resolve;
    });
    const secondHasLock = new Promise<void>((resolve) => {
      second = resolve;
    });
    const change = (ids: [number, number], mine: () => void, theirs: Promise<void>) =>
      runUnitOfWork(database, { onRetry: (reason) => retries.push(reason) }, async (work) => {
        const db = await work.db();
        await sql`update note set text = text || '!' where id = ${ids[0]}`.execute(db);
        mine();
        await theirs;
        await sql`update note set text = text || '!' where id = ${ids[1]}`.execute(db);
      });
    await Promise.all([change([1, 2], first, secondHasLock), change([2, 1], second, firstHasLock)]);
    expect(retries).toEqual([expect.stringMatching(/deadlock/)]);
    const { rows } = await sql`select * from note order by id`.execute(database.db);
    expect(rows).toEqual([
      { id: 1, text: 'a!!' },
      { id: 2, text: 'b!!' },
    ]);
  });

  it('runs again when its connection is lost before the commit', async () => {
    let runs = 0;
    await runUnitOfWork(database, {}, async (work) => {
      runs += 1;
      const db = await work.db();
      await insert(db, runs);
      if (runs > 1) return;
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
      await sql`select pg_terminate_backend(${rows[0]!.pid})`.execute(database.db);
      await sql`select 1`.execute(db);
    });
    expect(runs).toBe(2);
    expect(await ids()).toEqual([2]);
  });

  it('gives up with 503 when the conflicts do not end', async () => {
    const endless = runUnitOfWork(database, { attempts: 2 }, async (work) => {
      await sql`do $$ begin raise exception using errcode = '40001'; end $$`.execute(await work.db());
    });
    await expect(endless).rejects.toMatchObject({ code: 503, detail: { id: 'DB_CONFLICT' } });
  });
});
