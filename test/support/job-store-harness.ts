import { sql } from 'kysely';
import { expect } from 'vitest';
import { runUnitOfWork } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { findJob, insertManual } from '../../src/scheduler/job-repository.ts';
import { type JobStore, persistentJobStore } from '../../src/scheduler/job-store.ts';
import { MemoryJobStore } from '../../src/scheduler/memory-job-store.ts';
import {
  createSchedule,
  pauseSchedule,
  removeSchedule,
  updateSchedule,
} from '../../src/scheduler/register-schedule.ts';
import type { Completion, LedgerEntry, RunKey } from '../../src/scheduler/run.ts';
import { setPaused } from '../../src/scheduler/running-repository.ts';
import { parseSchedule } from '../../src/scheduler/schedule.ts';
import { createMigratedDatabase } from './migrated-database.ts';

export const A = { nodeId: 1, epoch: 1 };
export const B = { nodeId: 2, epoch: 1 };
export const ASKED = { kind: 'requested', by: 'tester', transaction: 't-1' } as const;
export const T0 = Date.parse('2026-05-04T10:00:00Z');

/** A job store together with the ways by which schedules come into it. */
export interface JobStoreHarness extends AsyncDisposable {
  readonly store: JobStore;
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

const definitionOf = (fields: JsonObject) =>
  parseSchedule(
    { schedule: '* * * * * ?', timeZone: 'UTC', invokeService: 'script', ...fields },
    { persisted: true },
  );

export async function persistentHarness(): Promise<JobStoreHarness> {
  const database = await createMigratedDatabase();
  const { db } = database;
  const change = <T>(work: Parameters<typeof runUnitOfWork<T>>[2]) => runUnitOfWork(database, {}, work);
  const triggerIdOf = async (id: string) => (await findJob(db, id))!.triggerId;
  return {
    store: persistentJobStore(db),
    async clear() {
      await sql`truncate scheduler_job, scheduler_removed, scheduler_due, scheduler_run, scheduler_firing, cluster_node
                restart identity`.execute(db);
      await sql`insert into cluster_node (name) values ('a'), ('b')`.execute(db);
      await setPaused(db, false);
    },
    put: (id, fields = {}, now = T0 - 1) =>
      change(async (unitOfWork) => {
        const old = await findJob(await unitOfWork.db(), id, true);
        const registration = { id, source: 'rest' as const, definition: definitionOf(fields) };
        if (old === undefined) await createSchedule({ unitOfWork, now }, registration);
        else await updateSchedule({ unitOfWork, now, nodeName: 'a' }, old, registration);
      }),
    remove: (id, now = Date.now()) =>
      change(async (unitOfWork) =>
        removeSchedule({ unitOfWork, now, nodeName: 'a' }, (await findJob(db, id))!),
      ),
    pause: (id, paused) =>
      change(async (unitOfWork) => {
        const job = (await findJob(await unitOfWork.db(), id, true))!;
        await pauseSchedule({ unitOfWork, now: Date.now(), nodeName: 'a' }, job, paused);
      }),
    pauseAll: async (paused) => void (await setPaused(db, paused)),
    trigger: async (id) => (await insertManual(db, await triggerIdOf(id), ASKED))!,
    async ledger() {
      const rows = await sql<{ outcome: string; plannedAt: number; why: string | null }>`
        select outcome, (extract(epoch from planned_at) * 1000)::float8 as "plannedAt", why
        from scheduler_firing order by planned_at`.execute(db);
      return rows.rows;
    },
    exists: async (id) => (await findJob(db, id)) !== undefined,
    async triggerOf(id) {
      const { rows } = await sql<Trigger & { asJob: Trigger | null }>`
        select t.state, t.previous_state, t.acquired, t."nodeId", v.triggers->0 as "asJob"
        from svc_trigger t join scheduler_job_view v on v.id = t.name where t.name = ${id}`.execute(db);
      if (rows[0] === undefined) return undefined;
      const { asJob, ...trigger } = rows[0];
      expect(asJob).toMatchObject(trigger);
      return trigger;
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

export async function memoryHarness(): Promise<JobStoreHarness> {
  let registeredAt: number | undefined;
  let entries: LedgerEntry[] = [];
  const make = () =>
    new MemoryJobStore({
      nodeName: 'a',
      now: () => registeredAt ?? Date.now(),
      record: async (completions: readonly Completion[]) => {
        entries.push(...completions.flatMap((completion) => completion.entries));
      },
    });
  let memory = make();
  const store = new Proxy({} as JobStore, {
    get: (_target, name) => {
      const member = memory[name as keyof JobStore];
      return typeof member === 'function' ? member.bind(memory) : member;
    },
  });
  return {
    store,
    async clear() {
      memory = make();
      entries = [];
    },
    async put(id, fields = {}, now = T0 - 1) {
      registeredAt = now;
      const done = memory.schedules.put(id, definitionOf(fields), 'rest');
      registeredAt = undefined;
      await done;
    },
    async remove(id, now) {
      registeredAt = now;
      const done = memory.schedules.remove(id);
      registeredAt = undefined;
      await done;
    },
    pause: (id, paused) => memory.schedules.pause(id, paused),
    pauseAll: (paused) => memory.schedules.pauseAll(paused),
    trigger: async (id) => (await memory.schedules.trigger(id, ASKED))!,
    ledger: async () =>
      entries
        .toSorted((left, right) => left.plannedAt - right.plannedAt)
        .map(({ outcome, plannedAt, why }) => ({ outcome, plannedAt, why })),
    exists: async (id) => (await memory.schedules.find(id)) !== undefined,
    async triggerOf(id) {
      const trigger = (await memory.schedules.find(id))?.trigger as unknown as Trigger | null | undefined;
      if (trigger === null || trigger === undefined) return undefined;
      const { state, previous_state, acquired, nodeId } = trigger;
      return { state, previous_state, acquired, nodeId };
    },
    [Symbol.asyncDispose]: async () => {},
  };
}
