import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { oneRow } from '#database/index.ts';
import type { JsonValue } from '#json/index.ts';
import type { Holder } from '#work/index.ts';
import type { Asked, RunKey } from '../run/run.ts';
import type { WithdrawnFiring } from '../run/withdrawn-firing.ts';
import type { ScheduleDefinition } from '../schedule/schedule.ts';
import { COMPETITION, competition } from './run-row-repository.ts';

export interface JobRow {
  readonly triggerId: number;
  readonly id: string;
  readonly generation: number;
  readonly definition: ScheduleDefinition;
  readonly source: 'rest' | 'file';
  readonly contentHash: string;
  readonly paused: boolean;
  readonly parked: boolean;
  /** The planned time of the run for which it was parked, epoch ms. */
  readonly parkedFor: number | null;
  /** The id of the node that has it in memory; null of a persisted one. */
  readonly ownerId: number | null;
}

/** When it fires, for people who look with psql. */
interface Spoken {
  readonly words: string;
}

const COLUMNS = sql.raw(
  `trigger_id as "triggerId", id, generation, definition, source, content_hash as "contentHash", paused,
   parked is not null as parked,
   (extract(epoch from (parked->>'plannedAt')::timestamptz) * 1000)::float8 as "parkedFor", owner_id as "ownerId"`,
);

/** The node of that name, as a subquery. Null where there is none, which no owner is equal to. */
const nodeOf = (nodeName: string | null) => sql`(select id from cluster_node where name = ${nodeName})`;

/**
 * Whom an id means, first of all, on a node: what that has in memory, then what is persisted, then what others have in
 * memory.
 */
export const rankOf = (ownerId: RawBuilder<unknown>, nodeName: string | null) =>
  sql`case ${ownerId} when ${nodeOf(nodeName)} then -1 else coalesce(${ownerId}, 0) end`;

export interface JobSearch {
  /** Keeps it from changing until the transaction ends. */
  readonly lock?: boolean;
  /** The node on which it is looked for. */
  readonly nodeName?: string;
  /** Whether to look only among the persisted ones, or only in the memory of the node. Default: as `rankOf` has it. */
  readonly persisted?: boolean;
}

export async function findJob(
  db: Db,
  id: string,
  { lock = false, nodeName, persisted }: JobSearch = {},
): Promise<JobRow | undefined> {
  const node = nodeName ?? null;
  const where =
    persisted === undefined ? sql`true` : persisted ? sql`owner_id is null` : sql`owner_id = ${nodeOf(node)}`;
  const { rows } = await sql<JobRow>`
    select ${COLUMNS} from scheduler_job where id = ${id} and ${where}
    order by ${rankOf(sql`owner_id`, node)} limit 1 ${lock ? sql`for update` : sql``}`.execute(db);
  return rows[0];
}

/** What all schedules are invoked with, wherever they are. */
export async function listInvokeContexts(db: Db): Promise<JsonValue[]> {
  const { rows } = await sql<{ invokeContext: JsonValue }>`
    select definition->'invokeContext' as "invokeContext" from scheduler_job`.execute(db);
  return rows.map(({ invokeContext }) => invokeContext);
}

/** The ids of the schedules of files that are persisted, or in the memory of the node. */
export async function listOfFiles(db: Db, nodeName: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct id from scheduler_job
    where source = 'file' and (owner_id is null or owner_id = ${nodeOf(nodeName)}) order by id`.execute(db);
  return rows.map(({ id }) => id);
}

/** The life in which a node is now; undefined while it has none, as when the others have just given it up. */
export async function findLife(db: Db, nodeName: string): Promise<Holder | undefined> {
  const { rows } = await sql<Holder>`
    select id as "nodeId", epoch from cluster_node where name = ${nodeName} and state = 'running'`.execute(
    db,
  );
  return rows[0];
}

/** @param owner the life in whose memory it is; undefined for a persisted one. @returns undefined when the id is taken */
export async function insertJob(
  db: Db,
  job: Pick<JobRow, 'id' | 'definition' | 'source' | 'contentHash'> & Spoken,
  owner?: Holder,
): Promise<JobRow | undefined> {
  const { rows } = await sql<JobRow>`
    insert into scheduler_job (id, definition, source, content_hash, words, owner_id, owner_epoch)
    values (${job.id}, ${JSON.stringify(job.definition)}::jsonb, ${job.source}, ${job.contentHash}, ${job.words},
            ${owner?.nodeId ?? null}, ${owner?.epoch ?? null})
    on conflict (id, owner_id) do nothing
    returning ${COLUMNS}`.execute(db);
  return rows[0];
}

/** A changed timing starts a new generation: what the old one still had waiting or claimed does not fire. */
export async function updateJob(
  db: Db,
  triggerId: number,
  change: Pick<JobRow, 'definition' | 'source' | 'contentHash'> & Spoken & { newGeneration: boolean },
): Promise<JobRow> {
  const { rows } = await sql<JobRow>`
    update scheduler_job
    set definition = ${JSON.stringify(change.definition)}::jsonb, source = ${change.source},
        content_hash = ${change.contentHash}, words = ${change.words}, parked = null, updated_at = clock_timestamp(),
        generation = generation + ${change.newGeneration ? 1 : 0}
    where trigger_id = ${triggerId}
    returning ${COLUMNS}`.execute(db);
  return oneRow(rows);
}

/** Runs of it that go on keep its name, for the entry in the ledger should one be lost with its node. */
export async function deleteJob(db: Db, triggerId: number): Promise<void> {
  await sql`
    with job as (delete from scheduler_job where trigger_id = ${triggerId} returning trigger_id, id)
    insert into scheduler_removed (trigger_id, id)
    select trigger_id, id from job where exists (select 1 from scheduler_run where lap = any(scheduler_laps()) and trigger_id = ${triggerId})`.execute(
    db,
  );
}

/** Lets a firing wait, behind a run that an edit left going. `due_at` never lies in the past, which claims rely on. */
export async function insertDue(db: Db, job: JobRow, fireAt: number): Promise<void> {
  await sql`
    insert into scheduler_due (due_at, fire_at, trigger_id, generation, slot, ${COMPETITION})
    select ${dueAt(sql`${new Date(fireAt)}::timestamptz`)}, ${new Date(fireAt)}, j.trigger_id, j.generation,
           (select slot from scheduler_run where lap = any(scheduler_laps()) and trigger_id = j.trigger_id limit 1), ${competition}
    from scheduler_job j where j.trigger_id = ${job.triggerId}
    on conflict do nothing`.execute(db);
}

/** When a firing of the job `j` may be claimed: never in the past, and not at all while the job is paused. */
function dueAt(fireAt: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when j.paused then 'infinity' else greatest(${fireAt}, clock_timestamp()) end`;
}

/** What waits competes as the schedule says now. */
export async function refreshDue(db: Db, job: JobRow): Promise<void> {
  await sql`
    update scheduler_due set (${COMPETITION}) = (select ${competition}
      from scheduler_job j where j.trigger_id = ${job.triggerId})
    where lap = any(scheduler_laps()) and trigger_id = ${job.triggerId}`.execute(db);
}

/** Pauses or resumes one schedule. Resuming also takes back that it was parked. Runs under way are not touched. */
export async function setJobPaused(db: Db, triggerId: number, paused: boolean): Promise<void> {
  await sql`
    with pause as (
      update scheduler_setting set pauses = pauses + 1 where ${paused}
    ), job as (
      update scheduler_job j set paused = ${paused}, parked = case when ${paused} then parked end
      where trigger_id = ${triggerId}
    )
    update scheduler_due
    set due_at = case when ${paused} then 'infinity' else greatest(fire_at, clock_timestamp()) end
    where lap = any(scheduler_laps()) and trigger_id = ${triggerId} and kind = 'planned'`.execute(db);
}

/**
 * Lets a firing of its own wait that is due now, whether the schedule is paused, disabled, or neither. It takes turns with
 * whoever edits that, so that an edit knows of all that may run when it hands on the slot.
 *
 * @returns undefined when another one of this very millisecond waits already
 */
export async function insertManual(db: Db, triggerId: number, asked: Asked): Promise<RunKey | undefined> {
  const { rows } = await sql<RunKey>`
    insert into scheduler_due (due_at, fire_at, trigger_id, generation, next_planned, kind, cause, ${COMPETITION})
    select clock_timestamp(), date_trunc('milliseconds', clock_timestamp()), j.trigger_id, j.generation, true, 'manual',
           ${JSON.stringify(asked)}::jsonb, ${competition}
    from scheduler_job j where j.trigger_id = ${triggerId} for share
    on conflict do nothing
    returning trigger_id as "triggerId", generation,
              (extract(epoch from fire_at) * 1000)::bigint as "fireAt"`.execute(db);
  return rows[0];
}

/**
 * Schedules are locked first, several in the order of their keys; then what waits of them, then what runs. Whoever has
 * one of these already and did not begin with its schedule does not wait for that.
 *
 * Locks all that waits or runs of a schedule. What is on its way from one to the other just now is waited for, and looked
 * for where it has gone to, until nothing has moved since the last look: then nothing can any more.
 */
async function holdStill(db: Db, triggerId: number): Promise<void> {
  for (let before: string | undefined; ; ) {
    const { rows } = await sql<{ place: string }>`
      with waiting as (select 'due ' || ctid as place from scheduler_due where lap = any(scheduler_laps()) and trigger_id = ${triggerId} for update),
           held as (select 'run ' || ctid as place from scheduler_run where lap = any(scheduler_laps()) and trigger_id = ${triggerId} for update)
      select place from waiting union all select place from held order by place`.execute(db);
    const now = rows.map(({ place }) => place).join();
    if (now === before) return;
    before = now;
  }
}

/**
 * Takes back what waits, and what is claimed but has not started. A run that has started goes on; if it ends now it
 * waits with that until this transaction has, or it would plan and fire once more what is recorded here as not fired.
 *
 * @returns all three, as far as they are of the schedule as it was
 */
export async function withdraw(db: Db, { triggerId, generation }: JobRow): Promise<WithdrawnFiring[]> {
  await holdStill(db, triggerId);
  const { rows } = await sql<WithdrawnFiring>`
    with waiting as (
      delete from scheduler_due where lap = any(scheduler_laps()) and trigger_id = ${triggerId} returning generation, fire_at, kind, next_planned
    ), claimed as (
      delete from scheduler_run where lap = any(scheduler_laps()) and trigger_id = ${triggerId} and started_at is null
      returning generation, fire_at, kind, next_planned
    ), begun as (
      select generation, fire_at, kind, next_planned from scheduler_run
      where lap = any(scheduler_laps()) and trigger_id = ${triggerId} and started_at is not null for update
    ), firing as (
      select *, false as begun from waiting
      union all select *, false from claimed
      union all select *, true from begun
    )
    select (extract(epoch from fire_at) * 1000)::float8 as "fireAt", kind, next_planned as "nextPlanned",
           begun as "isBegun"
    from firing where generation = ${generation} order by fire_at`.execute(db);
  return rows.map((row) => ({ ...row, fireAt: Math.round(row.fireAt) }));
}

/** Ids that may be meant by one that there is not. */
export async function listIds(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from scheduler_job limit 1000`.execute(db);
  return rows.map(({ id }) => id);
}
