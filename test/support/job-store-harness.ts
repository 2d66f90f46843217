import { sql } from 'kysely';
import { expect } from 'vitest';
import { type Database, runUnitOfWork } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { Holder } from '#work/index.ts';
import type { RunKey } from '../../src/scheduler/run/run.ts';
import {
  createSchedule,
  pauseSchedule,
  removeSchedule,
  updateSchedule,
} from '../../src/scheduler/schedule/register-schedule.ts';
import { parseSchedule } from '../../src/scheduler/schedule/schedule.ts';
import type { Claim, ClaimOptions } from '../../src/scheduler/store/claim-repository.ts';
import { findJob, insertManual } from '../../src/scheduler/store/job-repository.ts';
import { type JobStore, jobStore } from '../../src/scheduler/store/job-store.ts';
import { setPaused } from '../../src/scheduler/view/running-repository.ts';
import { createMigratedDatabase } from './migrated-database.ts';

export const A = { nodeId: 1, epoch: 1 };
export const B = { nodeId: 2, epoch: 1 };
export const ASKED = { kind: 'requested', by: 'tester', transaction: 't-1' } as const;
export const T0 = Date.parse('2026-05-04T10:00:00Z');

/** A job store together with the ways by which schedules come into it. */
export interface JobStoreHarness extends AsyncDisposable {
  readonly store: JobStore;
  readonly database: Database;
  /** Who else may claim what A may. */
  readonly other: Holder;
  clear(): Promise<void>;
  /** Creates or changes a schedule as if it were the time `now`. */
  put(id: string, fields?: JsonObject, now?: number): Promise<void>;
  remove(id: string, now?: number): Promise<void>;
  pause(id: string, paused: boolean): Promise<void>;
  pauseAll(paused: boolean): Promise<void>;
  trigger(id: string): Promise<RunKey>;
  ledger(): Promise<readonly { outcome: string; plannedAt: number; why: string | null }[]>;
  exists(id: string): Promise<boolean>;
  /** Undefined where it has none. */
  triggerOf(id: string): Promise<Trigger | undefined>;
}

export interface Trigger {
  readonly state: number;
  readonly previous_state: number;
  readonly acquired: boolean;
  readonly nodeId: string | null;
}

/** What is in memory is so on node a. */
export async function openJobStore(persisted: boolean): Promise<JobStoreHarness> {
  const database = await createMigratedDatabase();
  const { db } = database;
  const definitionOf = (fields: JsonObject) =>
    parseSchedule(
      { schedule: '* * * * * ?', timeZone: 'UTC', invokeService: 'script', ...fields },
      { persisted },
    );
  const change = <T>(work: Parameters<typeof runUnitOfWork<T>>[2]) => runUnitOfWork(database, {}, work);
  const find = (id: string, on = db) => findJob(on, id, { lock: on !== db, nodeName: 'a' });
  const store = jobStore(db);
  return {
    database,
    store: persisted ? store : { ...store, claim: (options) => claimOwn(store, options) },
    other: persisted ? B : A,
    async clear() {
      await sql`truncate scheduler_job, scheduler_removed, scheduler_due, scheduler_run, scheduler_firing, cluster_node
                restart identity cascade`.execute(db);
      await sql`insert into cluster_node (name) values ('a'), ('b')`.execute(db);
      await setPaused(db, false, 'somebody');
    },
    put: (id, fields = {}, now = T0 - 1) =>
      change(async (unitOfWork) => {
        const old = await find(id, await unitOfWork.db());
        const registration = { id, source: 'rest' as const, definition: definitionOf(fields) };
        const scope = { unitOfWork, now, nodeName: 'a' };
        if (old === undefined) await createSchedule(scope, registration);
        else await updateSchedule(scope, old, registration);
      }),
    remove: (id, now = Date.now()) =>
      change(async (unitOfWork) => removeSchedule({ unitOfWork, now, nodeName: 'a' }, (await find(id))!)),
    pause: (id, paused) =>
      change(async (unitOfWork) => {
        const job = (await find(id, await unitOfWork.db()))!;
        await pauseSchedule({ unitOfWork, now: Date.now(), nodeName: 'a' }, job, paused);
      }),
    pauseAll: async (paused) => void (await setPaused(db, paused, 'somebody')),
    trigger: async (id) => (await insertManual(db, (await find(id))!.triggerId, ASKED))!,
    async ledger() {
      const rows = await sql<{ outcome: string; plannedAt: number; why: string | null }>`
        select outcome, (extract(epoch from planned_at) * 1000)::float8 as "plannedAt", why
        from scheduler_firing order by planned_at`.execute(db);
      return rows.rows;
    },
    exists: async (id) => (await find(id)) !== undefined,
    async triggerOf(id) {
      const { rows } = await sql<Trigger & { owner: string | null; asJob: Trigger | null }>`
        select t.state, t.previous_state, t.acquired, t."nodeId", t.owner, v.triggers->0 as "asJob"
        from scheduler_trigger_view t join scheduler_job_view v using (trigger_id) where t.name = ${id}`.execute(
        db,
      );
      if (rows[0] === undefined) return undefined;
      const { asJob, owner, ...trigger } = rows[0];
      expect(asJob).toMatchObject(trigger);
      expect(owner).toBe(persisted ? null : 'a');
      return trigger;
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

/** The same of what the holder has in memory. */
async function claimOwn(
  store: JobStore,
  { limit, watermark, startLimit, ...options }: ClaimOptions,
): Promise<Claim> {
  const own = { limit, watermark, ...(startLimit === undefined ? {} : { startLimit }) };
  const { ownNextDueAt, ...claim } = await store.claim({ ...options, limit: 0, watermark, own });
  return { ...claim, ownNextDueAt, nextDueAt: ownNextDueAt };
}
