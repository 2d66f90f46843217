import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, type Db, runUnitOfWork } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { Run } from '../../../src/scheduler/run/run.ts';
import { createSchedule } from '../../../src/scheduler/schedule/register-schedule.ts';
import { parseSchedule } from '../../../src/scheduler/schedule/schedule.ts';
import { wordKeeper } from '../../../src/scheduler/schedule/word-keeper.ts';
import { claimDue } from '../../../src/scheduler/store/claim-repository.ts';
import { findJob } from '../../../src/scheduler/store/job-repository.ts';
import { endLife, listOrphanedLives } from '../../../src/scheduler/store/release-repository.ts';
import { eventually } from '../../support/eventually.ts';
import { createMigratedDatabase } from '../../support/migrated-database.ts';

const A = { nodeId: 1, epoch: 1 };
const B = { nodeId: 2, epoch: 1 };

describe('what a node has in memory', () => {
  let database: Database & AsyncDisposable;

  beforeAll(async () => {
    database = await createMigratedDatabase();
  });
  beforeEach(async () => {
    await sql`truncate scheduler_job, scheduler_removed, scheduler_due, scheduler_run, scheduler_firing, cluster_node restart identity cascade`.execute(
      database.db,
    );
    await sql`insert into cluster_node (name) values ('a'), ('b')`.execute(database.db);
  });
  afterAll(() => database?.[Symbol.asyncDispose]());

  const put = (id: string, nodeName: string, fields: JsonObject = {}) =>
    runUnitOfWork(database, {}, (unitOfWork) => {
      const given = { schedule: '* * * * * ?', timeZone: 'UTC', invokeService: 'script', ...fields };
      const definition = parseSchedule(given, { persisted: false });
      return createSchedule(
        { unitOfWork, now: Date.now() - 5_000, nodeName },
        { id, source: 'rest', definition },
      );
    });
  const share = { limit: 500, watermark: 0 };
  const none = { limit: 0, watermark: 0 };
  const claim = async (holder = A, db: Db = database.db, shared = none) =>
    (await claimDue(db, { ...shared, holder, lookAheadMs: 0, own: { ...share, startLimit: 10 } })).runs;
  const ledger = async () =>
    (
      await sql<{ outcome: string; why: string }>`select outcome, why from scheduler_firing`.execute(
        database.db,
      )
    ).rows;

  it('is claimed by that node alone, and costs the others not a look, however much of it is due', async () => {
    await put('due', 'a', { persisted: true });
    await put('own', 'a');
    await sql`insert into scheduler_due (due_at, fire_at, trigger_id, generation, owner_id, owner_epoch)
              select at, at, 1000 + n, 1, 2, 1
              from generate_series(1, 3000) n, lateral (select now() - n * interval '1 ms' as at) t`.execute(
      database.db,
    );
    const { read, runs } = await database.db.transaction().execute(async (transaction) => {
      const claimed = await claim(A, transaction, share);
      const { rows } = await sql<{ n: number }>`
        select pg_stat_get_xact_tuples_returned(t.oid) + sum(pg_stat_get_xact_tuples_returned(i.indexrelid)) as n
        from pg_class t join pg_index i on i.indrelid = t.oid
        where t.oid = 'scheduler_due'::regclass group by t.oid`.execute(transaction);
      return { runs: claimed, read: Number(rows[0]!.n) };
    });
    expect(runs.map(({ own = false }) => own).toSorted()).toEqual([false, true]);
    expect(read).toBeLessThan(100);
    expect(await claim(B)).toHaveLength(500);
  });

  it('may have the id of what others have, and runs beside it whatever the key; an id means the own one first', async () => {
    const keyed = { concurrencyKey: 'one' };
    await put('j', 'a', { ...keyed, persisted: true });
    for (const node of ['a', 'b']) expect(await put('j', node, keyed)).toBeDefined();
    expect(await put('j', 'a')).toBeUndefined();
    const runs: Run[] = [...(await claim(A, database.db, share)), ...(await claim(B))];
    expect(new Set(runs.map(({ triggerId }) => triggerId)).size).toBe(3);
    const found = async (nodeName?: string) =>
      (await findJob(database.db, 'j', nodeName === undefined ? {} : { nodeName }))?.ownerId;
    expect([await found(), await found('a'), await found('b'), await found('c')]).toEqual([null, 1, 2, null]);
    await put('k', 'a', keyed);
    expect(await claim(A)).toEqual([]);
  });

  it('ends with the life of its node; what ran is recorded as lost', async () => {
    for (const id of ['ran', 'waits']) await put(id, 'a');
    await put('stays', 'b');
    const started = await claim(A);
    expect(started.map((run) => run.started?.jobId).toSorted()).toEqual(['ran', 'waits']);
    await put('new', 'a');
    await sql`update cluster_node set epoch = 2, state = 'down' where id = 1`.execute(database.db);
    expect(await claim(A)).toEqual([]);
    // It is back before the others have looked after what it left.
    await sql`update cluster_node set epoch = 3, state = 'running' where id = 1`.execute(database.db);
    const again = { nodeId: 1, epoch: 3 };
    expect(await claim(again)).toEqual([]);
    await put('anew', 'a');
    expect(await listOrphanedLives(database.db)).toEqual([A]);
    await endLife(database.db, A, 'b');
    expect(await listOrphanedLives(database.db)).toEqual([]);
    const { rows } = await sql`select schedule, owner from svc_schedule order by schedule`.execute(
      database.db,
    );
    expect(rows).toEqual([
      { schedule: 'anew', owner: 'a' },
      { schedule: 'stays', owner: 'b' },
    ]);
    const why = 'node a was lost while it ran, and the schedule was in its memory';
    expect(await ledger()).toEqual(started.map(() => ({ outcome: 'lost', why })));
    expect((await claim(again)).map((run) => run.started?.jobId)).toEqual(['anew']);
  });

  it('says in words when it fires, and what was registered without words is given some', async () => {
    const shown = async () =>
      (
        await sql<{ words: string }>`select schedule, words from svc_schedule order by schedule`.execute(
          database.db,
        )
      ).rows;
    await put('each-second', 'a');
    await put('nightly', 'a', { schedule: '0 30 2 * * ?', persisted: true });
    const words = [
      { schedule: 'each-second', words: 'Every second' },
      { schedule: 'nightly', words: 'At 02:30' },
    ];
    expect(await shown()).toEqual(words);
    await sql`update scheduler_job set words = null`.execute(database.db);
    const keeper = wordKeeper(database, () => {});
    await keeper.start();
    expect(await eventually(shown, (rows) => rows.every((row) => row.words !== null))).toEqual(words);
    await keeper.stop();
  });

  it('is nothing while others have given the node up', async () => {
    await sql`update cluster_node set epoch = 2, state = 'down' where id = 1`.execute(database.db);
    await expect(put('j', 'a')).rejects.toMatchObject({ code: 503, detail: { id: 'SCHED_NODE_AWAY' } });
  });
});
