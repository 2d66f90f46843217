import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { ScheduleDefinition } from './schedule.ts';

export interface JobRow {
  readonly triggerId: number;
  readonly id: string;
  readonly generation: number;
  readonly definition: ScheduleDefinition;
  readonly source: 'rest' | 'file';
  readonly contentHash: string;
}

const COLUMNS = sql.raw(
  `trigger_id as "triggerId", id, generation, definition, source, content_hash as "contentHash"`,
);

export async function findJob(db: Db, id: string, lock = false): Promise<JobRow | undefined> {
  const { rows } = await sql<JobRow>`
    select ${COLUMNS} from scheduler_job where id = ${id} ${lock ? sql`for update` : sql``}`.execute(db);
  return rows[0];
}

export async function listJobs(db: Db, source?: JobRow['source']): Promise<JobRow[]> {
  const { rows } = await sql<JobRow>`
    select ${COLUMNS} from scheduler_job ${source === undefined ? sql`` : sql`where source = ${source}`}
    order by id`.execute(db);
  return rows;
}

/** @returns the new row, or undefined when the id is taken */
export async function insertJob(
  db: Db,
  job: Pick<JobRow, 'id' | 'definition' | 'source' | 'contentHash'>,
): Promise<JobRow | undefined> {
  const { rows } = await sql<JobRow>`
    insert into scheduler_job (id, definition, source, content_hash)
    values (${job.id}, ${JSON.stringify(job.definition)}::jsonb, ${job.source}, ${job.contentHash})
    on conflict (id) do nothing
    returning ${COLUMNS}`.execute(db);
  return rows[0];
}

/** A changed timing starts a new generation: what the old one still had waiting or claimed does not fire. */
export async function updateJob(
  db: Db,
  triggerId: number,
  change: Pick<JobRow, 'definition' | 'source' | 'contentHash'> & { newGeneration: boolean },
): Promise<JobRow> {
  const { rows } = await sql<JobRow>`
    update scheduler_job
    set definition = ${JSON.stringify(change.definition)}::jsonb, source = ${change.source},
        content_hash = ${change.contentHash}, parked = null, updated_at = clock_timestamp(),
        generation = generation + ${change.newGeneration ? 1 : 0}
    where trigger_id = ${triggerId}
    returning ${COLUMNS}`.execute(db);
  return rows[0]!;
}

export async function deleteJob(db: Db, triggerId: number): Promise<void> {
  await sql`delete from scheduler_job where trigger_id = ${triggerId}`.execute(db);
}

/** Lets a firing wait. `due_at` never lies in the past, which claims rely on. */
export async function insertDue(db: Db, job: JobRow, fireAt: number): Promise<void> {
  await sql`
    insert into scheduler_due (due_at, fire_at, trigger_id, generation)
    select greatest(t.at, clock_timestamp()), t.at, ${job.triggerId}, ${job.generation}
    from (select ${new Date(fireAt)}::timestamptz as at) t
    on conflict do nothing`.execute(db);
}

/** Takes back what waits, and what is claimed but has not started. A run that has started goes on. */
export async function withdraw(db: Db, triggerId: number): Promise<void> {
  await sql`
    with waiting as (delete from scheduler_due where trigger_id = ${triggerId})
    delete from scheduler_run where trigger_id = ${triggerId} and started_at is null`.execute(db);
}

export interface JobMotion {
  readonly nextRunAt: number | null;
  readonly previousRunAt: number | null;
  readonly trigger: JsonObject | null;
}

/** The moving part of schedules, for reading: next and previous firing and the trigger record. */
export async function listMotions(db: Db, ids: readonly string[]): Promise<Map<string, JobMotion>> {
  const { rows } = await sql<{
    id: string;
    next: Date | null;
    previous: Date | null;
    trigger: JsonObject | null;
  }>`
    select j.id, due.next, fired.previous,
           case when t.name is null then null else jsonb_build_object(
             '_id', t._id, '_rev', j.generation::text, 'serialized', t.serialized, 'name', t.name, 'group', t."group",
             'previous_state', t.previous_state, 'state', t.state, 'acquired', t.acquired, 'nodeId', t."nodeId") end
           as trigger
    from scheduler_job j
    left join svc_trigger t on t.name = j.id
    left join lateral (select min(fire_at) as next from scheduler_due d
                       where d.trigger_id = j.trigger_id and d.generation = j.generation) due on true
    left join lateral (select f.planned_at as previous from scheduler_firing f
                       where f.job_id = j.id and f.outcome in ('fired', 'late', 'recovered', 'manual')
                       order by f.planned_at desc limit 1) fired on true
    where j.id = any(${ids})`.execute(db);
  return new Map(
    rows.map((row) => [
      row.id,
      {
        nextRunAt: row.next?.getTime() ?? null,
        previousRunAt: row.previous?.getTime() ?? null,
        trigger: row.trigger,
      },
    ]),
  );
}
