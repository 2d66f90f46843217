import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, type GroupWrite, openDatabase, runUnitOfWork } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { changeObject, createObject, findObject, findOwn, mayBePending, objectStore } from '#repo/index.ts';
import { eventually } from '../../support/eventually.ts';
import { createMigratedDatabase } from '../../support/migrated-database.ts';

const STORE = objectStore(['managed', 'thing']);
const GATE = 4_711;

interface Row {
  readonly id: number;
  readonly text: string;
}

describe('rows that wait for the commit', () => {
  let database: Database & AsyncDisposable;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    for (const table of ['note', 'remark']) {
      await sql`create table ${sql.table(table)} (id int primary key, text text, born xid8 default pg_current_xact_id())`.execute(
        database.db,
      );
    }
  });
  beforeEach(() => sql`truncate note, remark`.execute(database.db));
  afterAll(() => database?.[Symbol.asyncDispose]());

  const inserts = (table: string): GroupWrite<Row> => {
    const insert = (rows: readonly Row[]) => sql`insert into ${sql.table(table)} (id, text)
      select id, text from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as note (id int, text text)
      where text <> 'long' or pg_sleep(0.001 + 0 * id)::text is not null`;
    return {
      steps: (rows) => [{ statement: insert(rows) }],
      async run(db, rows) {
        const { rows: stored } = await sql<{ id: number }>`
          ${insert(rows)} on conflict do nothing returning id`.execute(db);
        const ids = new Set(stored.map(({ id }) => id));
        return rows.map(({ id }) => ids.delete(id));
      },
    };
  };
  const notes = inserts('note');
  const remarks = inserts('remark');
  const idsOf = async (table: string) =>
    (await sql<Row>`select id from ${sql.table(table)} order by id`.execute(database.db)).rows.map(
      ({ id }) => id,
    );
  const transactionsOf = async (table: string) =>
    (await sql`select distinct born from ${sql.table(table)}`.execute(database.db)).rows.length;
  const write = (id: number, text = 'x') =>
    runUnitOfWork(database, {}, async (work) => {
      if (!(await work.write(notes, { id, text }))) throw new Error(`${id} is taken`);
      return id;
    });

  /** Changes two rows, the second once nobody holds the gate. */
  const both: GroupWrite<readonly [first: number, second: number]> = {
    steps: (pairs) =>
      pairs.flatMap(([first, second]) => [
        {
          name: 'first',
          statement: sql`update note set text = text || '+' where id = ${first}::int returning id`,
        },
        {
          name: 'gate',
          statement: sql`select pg_advisory_xact_lock_shared(${GATE}::int) from first`,
        },
        {
          name: 'second',
          statement: sql`update note set text = text || '+' where id = ${second}::int and (select count(*) from gate) = 1`,
        },
      ]),
    async run(db, pairs) {
      for (const pair of pairs)
        for (const id of pair) await sql`update note set text = text || '+' where id = ${id}`.execute(db);
      return pairs.map(() => true);
    },
  };

  it('are committed together with those of others', async () => {
    const all = Array.from({ length: 50 }, (_, id) => id);
    expect(await Promise.all(all.map((id) => write(id)))).toEqual(all);
    expect(await idsOf('note')).toEqual(all);
    expect(await transactionsOf('note')).toBe(1);
  });

  it('leave as fewer at once where each takes long, so that none is locked for long', async () => {
    const all = Array.from({ length: 200 }, (_, id) => id);
    for (const ids of [all.slice(0, 2), all.slice(2, 40), all.slice(40, 60), all.slice(60)])
      await Promise.all(ids.map((id) => write(id, 'long')));
    expect(await idsOf('note')).toEqual(all);
    const { rows } = await sql<{ rows: number }>`
      select count(*)::int as rows from note group by born`.execute(database.db);
    expect(Math.max(...rows.map(({ rows }) => rows))).toBeLessThanOrEqual(50);
  });

  it('fail by themselves when they cannot be stored', async () => {
    await write(3);
    const outcomes = await Promise.allSettled([write(1), write(2, 'a\0b'), write(3), write(4), write(4)]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
      'rejected',
    ]);
    expect(outcomes[1]).toMatchObject({ reason: { code: 400 } });
    expect(outcomes[2]).toMatchObject({ reason: { message: '3 is taken' } });
    expect(await idsOf('note')).toEqual([1, 3, 4]);
  });

  it('of several kinds are stored all or not at all', async () => {
    const both = (id: number, remark: number) =>
      runUnitOfWork(database, {}, async (work) => {
        const stored = [
          await work.write(notes, { id, text: 'n' }),
          await work.write(remarks, { id: remark, text: 'r' }),
        ];
        if (stored.includes(false)) throw new Error('taken');
      });
    const outcomes = await Promise.allSettled([both(1, 1), both(2, 1), both(3, 3)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect([await idsOf('note'), await idsOf('remark')]).toEqual([
      [1, 3],
      [1, 3],
    ]);
  });

  it('are part of the transaction when something else is asked of the database', async () => {
    const seen = await runUnitOfWork(database, {}, async (work) => {
      await work.write(notes, { id: 1, text: 'x' });
      expect(work.isOpen).toBe(true);
      return (await sql<Row>`select id from note`.execute(await work.reader())).rows;
    });
    expect(seen).toEqual([{ id: 1 }]);
    const failing = runUnitOfWork(database, {}, async (work) => {
      await work.write(notes, { id: 2, text: 'x' });
      await work.db();
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await idsOf('note')).toEqual([1]);
  });

  it('make the work run again when they cannot be stored, even if the error was caught on the way', async () => {
    await write(1);
    let runs = 0;
    const answers = await runUnitOfWork(database, {}, async (work) => {
      runs += 1;
      const stored = await work.write(notes, { id: 1, text: 'again' });
      const caught = await work.db().then(
        () => false,
        () => true,
      );
      return [stored, caught];
    });
    expect([runs, answers]).toEqual([2, [false, false]]);
  });

  it('are not stored by a dry run, which says at once what cannot be', async () => {
    await write(1);
    const stored = await runUnitOfWork(database, { dryRun: true }, async (work) => [
      await work.write(notes, { id: 1, text: 'x' }),
      await work.write(notes, { id: 2, text: 'x' }),
    ]);
    expect(stored).toEqual([false, true]);
    expect(await idsOf('note')).toEqual([1]);
  });

  const change = (id: string, how: (data: JsonObject) => JsonObject) =>
    runUnitOfWork(database, {}, async (work) => {
      const found = mayBePending(work, STORE, id)
        ? await findOwn(work, STORE, id)
        : await findObject(await work.db(), STORE, id, { lock: true });
      await changeObject(work, STORE, id, found!.rev, how(found!.data));
    });

  it('that depend on what somebody else has changed are written anew, and only they', async () => {
    await runUnitOfWork(database, {}, async (work) => {
      for (const id of ['1', '2', '3']) await createObject(work, STORE, id, { n: 0 });
    });
    let runs = 0;
    const increase = (id: string) =>
      change(id, ({ n }) => {
        runs += 1;
        return { n: Number(n) + 1 };
      });
    await Promise.all(Array.from({ length: 20 }, () => increase('1')).concat(increase('2'), increase('3')));
    const stored = await Promise.all(['1', '2', '3'].map((id) => findObject(database.db, STORE, id)));
    expect(stored.map((object) => [object!.rev, object!.data])).toEqual([
      [20, { n: 20 }],
      [1, { n: 1 }],
      [1, { n: 1 }],
    ]);
    // Each of those that came too late once, and nobody else.
    expect(runs).toBeLessThanOrEqual(22 + 19);
  });

  it('do not wait for who holds the lock of what another one writes', async () => {
    await runUnitOfWork(database, {}, async (work) => {
      for (const id of ['held', 'free']) await createObject(work, STORE, id, {});
    });
    const isOver = Promise.withResolvers<void>();
    const isHeld = Promise.withResolvers<void>();
    const holder = runUnitOfWork(database, {}, async (work) => {
      await findObject(await work.db(), STORE, 'held', { lock: true });
      isHeld.resolve();
      await isOver.promise;
    });
    await isHeld.promise;
    let isDone = false;
    const waiting = change('held', () => ({ changed: true })).then(() => {
      isDone = true;
    });
    await change('free', () => ({ changed: true }));
    expect(isDone).toBe(false);
    isOver.resolve();
    await Promise.all([holder, waiting]);
    expect((await findObject(database.db, STORE, 'held'))!.data).toEqual({ changed: true });
  });

  it.each([false, true])(
    'go with the part of the work that failed, asked of the database or not: %s',
    async (asks) => {
      await runUnitOfWork(database, {}, async (work) => {
        await work.write(notes, { id: 1, text: 'before' });
        const failing = work.savepoint(async () => {
          await work.write(notes, { id: 2, text: 'lost' });
          await work.savepoint(async () => void (await work.write(notes, { id: 3, text: 'lost' })));
          if (asks) expect((await sql`select from note`.execute(await work.db())).rows).toHaveLength(3);
          throw new Error('not this part');
        });
        await expect(failing).rejects.toThrow('not this part');
        await work.savepoint(async () => void (await work.write(notes, { id: 4, text: 'after' })));
      });
      expect(await idsOf('note')).toEqual([1, 4]);
    },
  );

  it('are stored once where two statements of many rows deadlock: the one that gives way is made again', async () => {
    const other = openDatabase({ url: database.url });
    const reasons: string[] = [];
    const change = (through: Database, ...pair: [number, number]) =>
      runUnitOfWork(through, { onRetry: (reason) => reasons.push(reason) }, (work) => work.write(both, pair));
    await write(1);
    await write(2);
    const holder = await database.pool.connect();
    await holder.query('select pg_advisory_lock($1::int)', [GATE]);
    const changed = Promise.all([change(database, 1, 2), change(other, 2, 1)]);
    await eventually(
      async () =>
        (
          await sql`select from pg_stat_activity
                    where datname = current_database() and wait_event = 'advisory'`.execute(database.db)
        ).rows.length,
      (waiting) => waiting === 2,
    );
    await holder.query('select pg_advisory_unlock($1::int)', [GATE]);
    holder.release();
    expect(await changed).toEqual([true, true]);
    await other.close();
    expect(reasons).toEqual([expect.stringContaining('deadlock detected')]);
    const { rows } = await sql<Row>`select id, text from note order by id`.execute(database.db);
    expect(rows).toEqual([
      { id: 1, text: 'x++' },
      { id: 2, text: 'x++' },
    ]);
  });
});
