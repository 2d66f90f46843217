import { sql } from 'kysely';
import { type Db, type GroupWrite, numbers, PLANNED_ANEW, texts } from '#database/index.ts';
import { firstOf } from '#json/index.ts';
import { type Ask, type Completions, type Holder, heldBy, isAlive, SUSPECT_FROM } from '#work/index.ts';
import { HELD_QUEUES } from './hold-repository.ts';
import type { ClaimedJob } from './job.ts';

/** A queue swells and empties within seconds, and a plan that was made when it was empty would read all of it. */
const ANEW = sql.raw(PLANNED_ANEW);
const MS = (column: string) => sql.raw(`(extract(epoch from ${column}) * 1000)::float8`);

type Look = Omit<Ask, 'startMost'>;

export interface JobRow {
  readonly id: string;
  readonly queue: string;
  /** JSON: what was handed over, whatever becomes of that until the commit. */
  readonly data: string;
  /** Epoch ms; null for now. */
  readonly startAt: number | null;
  readonly priority: number;
  readonly attempts: number;
  readonly retryDelayMs: number;
}

/** How jobs are stored. What is due in the past is due now: claims look only a little behind what was claimed before. */
export const jobInserts: GroupWrite<JobRow> = {
  steps: (jobs) => [{ statement: insertion(jobs) }],
  async run(db, jobs) {
    await insertion(jobs).execute(db);
    return jobs.map(() => true);
  },
};

function insertion(jobs: readonly JobRow[]) {
  const rows = jobs.map(({ data, ...columns }) => `${JSON.stringify(columns).slice(0, -1)},"data":${data}}`);
  return sql`
    insert into work_job (id, queue, data, due_at, priority, attempts, retry_delay_ms)
    select id, queue, data, greatest(to_timestamp("startAt" / 1000), clock_timestamp()), priority, attempts, "retryDelayMs"
    from jsonb_to_recordset(${`[${rows.join()}]`}::jsonb) as job (id uuid, queue text, data jsonb, "startAt" float8,
      priority smallint, attempts int, "retryDelayMs" float8)`;
}

/**
 * Claims what is due in several queues: one statement. Rows that others lock are skipped, and a node that was given up
 * claims nothing. The lower bound keeps the scan from walking the dead index entries of earlier claims, which a long
 * transaction elsewhere would keep from being cleaned up; what asks for a priority is so little that it needs none.
 */
export async function claimJobs(db: Db, asks: readonly Look[], holder: Holder): Promise<ClaimedJob[]> {
  const { rows } = await sql<Omit<ClaimedJob, 'holder'>>`${ANEW}
    with asked as materialized (
      select queue, most, statement_timestamp() + ahead * interval '1 millisecond' as until,
             to_timestamp(since / 1000) as since
      from unnest(${texts(asks, 'text', ({ kind }) => kind)}, ${numbers(asks, 'int', ({ most }) => most)},
                  ${numbers(asks, 'float8', ({ lookAheadMs }) => lookAheadMs)},
                  ${numbers(asks, 'float8', ({ since }) => since)}) as a(queue, most, ahead, since)
      where ${isAlive(holder)} and queue <> all(${HELD_QUEUES})
    ), urgent as materialized (
      select a.queue, j.ctid from asked a cross join lateral (
        select ctid from work_job
        where node_id is null and priority > 0 and queue = a.queue and due_at <= a.until
        order by priority desc, due_at limit a.most for update skip locked) j
    ), ordinary as (
      select j.ctid from asked a cross join lateral (
        select ctid from work_job
        where node_id is null and priority = 0 and queue = a.queue and due_at <= a.until and due_at >= a.since
        order by due_at limit a.most - (select count(*) from urgent u where u.queue = a.queue)
        for update skip locked) j
    )
    update work_job
    set node_id = ${holder.nodeId}, node_epoch = ${holder.epoch}, claim = claim + 1,
        waits = suspected >= ${sql.lit(SUSPECT_FROM)}
    where ctid = any(array(select ctid from urgent union all select ctid from ordinary))
    returning id, queue, data, ${MS('due_at')} as "dueAt", priority, attempt, attempts,
              retry_delay_ms as "retryDelayMs", lost_with as "lostWith", suspected, claim`.execute(db);
  const jobs = rows.map((row) => ({ ...row, holder }));
  // An update does not keep the order of the scan.
  return jobs.sort((left, right) => right.priority - left.priority || left.dueAt - right.dueAt);
}

/** In how many ms by the database's clock the next job of each queue is due; not above 0 when it is due. */
export async function listDues(db: Db, asks: readonly Look[]): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ queue: string; in_ms: number }>`${ANEW}
    select a.queue, (extract(epoch from d.due_at - clock_timestamp()) * 1000)::float8 as in_ms
    from unnest(${texts(asks, 'text', ({ kind }) => kind)},
                ${numbers(asks, 'float8', ({ since }) => since)}) as a(queue, since)
    cross join lateral (
      select due_at from work_job
      where node_id is null and queue = a.queue and due_at >= to_timestamp(a.since / 1000)
      order by due_at limit 1) d
    where a.queue <> all(${HELD_QUEUES})`.execute(db);
  return new Map(rows.map(({ queue, in_ms: inMs }) => [queue, inMs]));
}

/** Whether a row is this claim of a job: what another node has by now, or this one once more, is not. */
export function isClaimOf({ id, claim, holder }: ClaimedJob) {
  return sql`id = ${id} and claim = ${claim} and ${heldBy(holder)}`;
}

/** How jobs are completed that the node still holds: they are gone. */
export const jobCompletions: Completions<ClaimedJob> = {
  isGuarded: true,
  steps: (jobs) =>
    byHolder(jobs).map((held) => ({ statement: sql`${completion(held)} returning 1`, returns: held.length })),
  async run(db, jobs) {
    const done = new Set<string>();
    for (const held of byHolder(jobs)) {
      const { rows } = await sql<{ id: string }>`${completion(held)} returning id`.execute(db);
      for (const { id } of rows) done.add(id);
    }
    return jobs.map(({ id }) => done.has(id));
  },
};

/** One life of a node, but for the moment in which it begins another one. */
function byHolder(jobs: readonly ClaimedJob[]): readonly ClaimedJob[][] {
  return [...Map.groupBy(jobs, ({ holder }) => `${holder.nodeId} ${holder.epoch}`).values()];
}

/** Found by their ids, one by one, and not among all that the node holds. */
function completion(jobs: readonly ClaimedJob[]) {
  return sql`
    delete from work_job where ctid = any(array(
      select j.at
      from unnest(${jobs.map(({ id }) => id)}::uuid[], ${numbers(jobs, 'int', ({ claim }) => claim)}) as c(id, number)
      cross join lateral (
        select ctid as at, claim, node_id, node_epoch from work_job where work_job.id = c.id offset 0) j
      where claim = number and ${heldBy(firstOf(jobs).holder)}))`;
}

export async function hasClaim(db: Db, job: ClaimedJob): Promise<boolean> {
  const { rows } = await sql`
    select from work_job where ${isClaimOf(job)}`.execute(db);
  return rows.length === 1;
}

/** Like `hasClaim`; and nobody can take the job away before the transaction ends. */
export async function lockClaim(db: Db, job: ClaimedJob): Promise<boolean> {
  const { rows } = await sql`
    select from work_job where ${isClaimOf(job)} for share`.execute(db);
  return rows.length === 1;
}

/** Puts a job off after a failure. @returns when the job runs again, epoch ms; undefined when it is another's now */
export async function retryJob(db: Db, job: ClaimedJob, delayMs: number): Promise<number | undefined> {
  const { rows } = await sql<{ at: number }>`
    update work_job
    set node_id = null, node_epoch = null, attempt = attempt + 1, lost_with = '{}', suspected = 0,
        due_at = clock_timestamp() + ${delayMs}::float8 * interval '1 millisecond'
    where ${isClaimOf(job)}
    returning ${MS('due_at')} as at`.execute(db);
  return rows[0]?.at;
}

/** A job that comes later, by so many ms. */
export interface LaterJob extends Pick<ClaimedJob, 'id' | 'queue' | 'claim' | 'holder'> {
  readonly delayMs: number;
}

/** Gives jobs of one holder back that have not begun: they are due later. */
export async function putOffJobs(db: Db, jobs: readonly LaterJob[]): Promise<void> {
  await sql`
    update work_job j
    set node_id = null, node_epoch = null, due_at = clock_timestamp() + l.ms * interval '1 millisecond'
    from unnest(${jobs.map(({ id }) => id)}::uuid[], ${numbers(jobs, 'int', ({ claim }) => claim)},
                ${numbers(jobs, 'float8', ({ delayMs }) => delayMs)}) as l(id, claim, ms)
    where j.id = l.id and j.claim = l.claim and ${heldBy(firstOf(jobs).holder)}`.execute(db);
}

/** @returns how many there were. One that runs loses what it has stored */
export async function deleteJobs(db: Db, queue: string, ids: readonly string[]): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from work_job where queue = ${queue} and id = any(${ids}::uuid[])`.execute(db);
  return Number(numAffectedRows);
}

export async function insertQueues(db: Db, names: readonly string[]): Promise<void> {
  await sql`insert into work_queue select unnest(${names}::text[]) on conflict do nothing`.execute(db);
}
