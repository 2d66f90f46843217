import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Database, type Db, runUnitOfWork } from '#database/index.ts';
import type { LedgerEntry, Run } from '../../src/scheduler/run/run.ts';
import { createSchedule } from '../../src/scheduler/schedule/register-schedule.ts';
import { parseSchedule } from '../../src/scheduler/schedule/schedule.ts';
import { claimDue } from '../../src/scheduler/store/claim-repository.ts';
import { completeRun } from '../../src/scheduler/store/completion-repository.ts';
import { createMigratedDatabase } from './migrated-database.ts';

export const A = { nodeId: 1, epoch: 1 };
export const B = { nodeId: 2, epoch: 1 };
export const T0 = Date.parse('2026-05-04T10:00:00Z');

/** A database of the scheduler with two nodes and nothing to run, anew for each test. */
export function runSite() {
  let database: Database & AsyncDisposable;

  beforeAll(async () => {
    database = await createMigratedDatabase();
  });
  beforeEach(async () => {
    await sql`truncate scheduler_job, scheduler_removed, scheduler_due, scheduler_run, scheduler_firing, cluster_node restart identity cascade`.execute(
      database.db,
    );
    await sql`update scheduler_setting set paused = false`.execute(database.db);
    await sql`insert into cluster_node (name) values ('a'), ('b')`.execute(database.db);
  });
  afterAll(() => database?.[Symbol.asyncDispose]());

  const add = (id: string, fields: Record<string, string | boolean> = {}, now = T0 - 1) =>
    runUnitOfWork(database, {}, (unitOfWork) =>
      createSchedule(
        { unitOfWork, now, nodeName: 'a' },
        {
          id,
          source: 'rest',
          definition: parseSchedule(
            { schedule: '* * * * * ?', timeZone: 'UTC', invokeService: 'script', ...fields },
            { persisted: true },
          ),
        },
      ),
    );
  const claim = (holder = A, limit = 10) =>
    claimDue(database.db, { holder, limit, lookAheadMs: 0, watermark: 0 });
  const entry = (jobId: string, plannedAt: number): LedgerEntry => ({
    jobId,
    node: 'a',
    outcome: 'fired',
    plannedAt,
    startedAt: plannedAt,
    lateMs: 0,
    error: null,
    log: null,
    why: null,
  });
  const complete = (run: Run, next: number | null, holder = A, jobId = 'j') =>
    completeRun(database.db, holder, run, next, [entry(jobId, run.fireAt)]);
  /** Rows and entries of its indexes that this transaction has looked at. */
  const rowsRead = async (db: Db, table: string) => {
    const { rows } = await sql<{ n: number }>`
      select pg_stat_get_xact_tuples_returned(t.oid) + sum(pg_stat_get_xact_tuples_returned(i.indexrelid)) as n
      from pg_class t join pg_index i on i.indrelid = t.oid
      where t.oid = ${table}::regclass group by t.oid`.execute(db);
    return Number(rows[0]!.n);
  };
  const count = async (table: string) =>
    (await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(database.db)).rows[0]!.n;
  const trigger = async (name = 'j') =>
    (
      await sql<Record<string, unknown>>`select * from scheduler_trigger_view where name = ${name}`.execute(
        database.db,
      )
    ).rows[0];
  return {
    get database() {
      return database;
    },
    get db() {
      return database.db;
    },
    add,
    claim,
    entry,
    complete,
    rowsRead,
    count,
    trigger,
  };
}
