import { sql } from 'kysely';
import { type Db, oneRow } from '#database/index.ts';
import type { ScheduleDefinition } from '../schedule/schedule.ts';

/** A schedule that fires by itself. */
export interface PlannedSchedule {
  readonly id: string;
  readonly definition: ScheduleDefinition;
  /** Whether it is paused, by itself or with all. */
  readonly paused: boolean;
  readonly parked: boolean;
  /** The node that has it in memory; null of a persisted one. */
  readonly owner: string | null;
  /** The median of its last 50 runs; null before the first. */
  readonly tookMs: number | null;
}

/** @param ids only these; undefined for all. @param limit so many of them at most */
export async function listPlanned(
  db: Db,
  { ids, limit }: { readonly ids: readonly string[] | undefined; readonly limit: number },
): Promise<readonly PlannedSchedule[]> {
  const { rows } = await sql<PlannedSchedule>`
    select j.id, j.definition, j.paused or s.paused as paused, j.parked is not null as parked, n.name as owner,
           t.took as "tookMs"
    from (select * from scheduler_job
          where (definition->>'enabled')::boolean ${ids === undefined ? sql`` : sql`and id = any(${[...ids]}::text[])`}
          order by id, trigger_id limit ${limit}) j
    cross join scheduler_setting s
    left join cluster_node n on n.id = j.owner_id
    left join lateral (
      select (percentile_cont(0.5) within group (order by extract(epoch from ended_at - started_at) * 1000))::float8 as took
      from (select started_at, ended_at from scheduler_firing f
            where f.job_id = j.id and f.started_at is not null order by f.planned_at desc limit 50) last) t on true
    order by j.id, j.trigger_id`.execute(db);
  return rows;
}

/** Which of the ids there are, whether they fire by themselves or not. */
export async function knownOf(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from scheduler_job where id = any(${[...ids]}::text[])`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** How many firings the nodes that claim work may run at once, as they last said. */
export async function countSlots(db: Db): Promise<number> {
  const { rows } = await sql<{ slots: number }>`
    select coalesce(sum((report->'figures'->>'svc_firing_slots')::int), 0)::int as slots
    from svc_node where state = 'running' and drained_at is null`.execute(db);
  return oneRow(rows).slots;
}
