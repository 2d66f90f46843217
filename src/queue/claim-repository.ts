import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonValue } from '#json/index.ts';
import { MAX_SUSPICIONS } from '#lifecycle/index.ts';
import type { ClaimedJob, Holder } from './job.ts';
import { SILENT } from './lost-with.ts';

/** When the next job of each queue is due; queues without a job are missing. */
export interface Due {
  readonly queue: string;
  /** Ms from now by the database's clock; not above 0 when it is due. */
  readonly inMs: number;
}

export async function listDues(db: Db, queues: readonly string[]): Promise<Due[]> {
  const { rows } = await sql<Due>`
    select q.name as queue, (extract(epoch from d.start_after - clock_timestamp()) * 1000)::float8 as "inMs"
    from unnest(${queues}::text[]) q(name)
    cross join lateral (select start_after from svc_pgboss.job j
                        where j.name = q.name and state < 'active' and not blocked
                        order by start_after limit 1) d`.execute(db);
  return rows;
}

/**
 * pg-boss's statement that fetches jobs, with the claim of the node written by the same statement: no job is active
 * without a row that says whose it is.
 */
export function withClaims(
  fetch: string,
  values: readonly unknown[],
  queue: string,
  { nodeId, epoch }: Holder,
): { readonly text: string; readonly values: unknown[] } {
  const at = values.length;
  return {
    text: `
      with fetched as (${fetch}),
      claimed as (
        insert into queue_claim (job_id, queue, attempt, node_id, node_epoch, waits)
        select id, $${at + 1}, "retryCount", $${at + 2}, $${at + 3},
               coalesce((output->>'suspected')::int, 0) >= ${MAX_SUSPICIONS - 1} from fetched
        -- A job that ran out of its time was given back by pg-boss, which knows nothing of claims.
        on conflict (job_id) do update set attempt = excluded.attempt, node_id = excluded.node_id,
          node_epoch = excluded.node_epoch, waits = excluded.waits, claimed_at = clock_timestamp()
      )
      select * from fetched`,
    values: [...values, queue, nodeId, epoch],
  };
}

/**
 * Completes jobs that the node still holds, with what is kept of their outcomes, in one statement.
 *
 * @returns how many; fewer than were given when some are another's now
 */
export async function completeJobs(
  db: Db,
  queue: string,
  jobs: readonly ClaimedJob[],
  outputs: readonly (JsonValue | undefined)[],
): Promise<number> {
  const { nodeId, epoch } = jobs[0]!.holder;
  const kept = outputs.map((output = null) =>
    JSON.stringify(typeof output === 'object' && output !== null ? output : { value: output }),
  );
  const { rows } = await sql<{ count: number }>`
    with ended as (
      select * from unnest(${jobs.map(({ id }) => id)}::uuid[], ${jobs.map(({ retryCount }) => retryCount)}::int[],
                           ${kept}::text[]) as e(id, attempt, output)
    ), mine as (
      delete from queue_claim c using ended e
      where c.job_id = e.id and c.attempt = e.attempt and c.node_id = ${nodeId} and c.node_epoch = ${epoch}
      returning e.id, e.attempt, e.output
    ), completed as (
      update svc_pgboss.job j set state = 'completed', completed_on = svc_pgboss.job_now(), output = m.output::jsonb
      from mine m
      where j.name = ${queue} and j.id = m.id and j.state = 'active' and j.retry_count = m.attempt
      returning 1
    )
    select count(*)::int as count from completed`.execute(db);
  return rows[0]!.count;
}

function isClaimOf({ id, retryCount, holder }: ClaimedJob) {
  return sql`job_id = ${id} and attempt = ${retryCount} and node_id = ${holder.nodeId} and node_epoch = ${holder.epoch}`;
}

/** @returns false when the claim is another's now, or nobody's */
export async function removeClaim(db: Db, job: ClaimedJob): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from queue_claim
    where ${isClaimOf(job)}`.execute(db);
  return numAffectedRows === 1n;
}

export async function hasClaim(db: Db, job: ClaimedJob): Promise<boolean> {
  const { rows } = await sql`
    select from queue_claim
    where ${isClaimOf(job)}`.execute(db);
  return rows.length === 1;
}

/** Like `hasClaim`; and nobody can take the job away before the transaction ends. */
export async function lockClaim(db: Db, job: ClaimedJob): Promise<boolean> {
  const { rows } = await sql`
    select from queue_claim
    where ${isClaimOf(job)}
    for share`.execute(db);
  return rows.length === 1;
}

export interface Release {
  /** Of this life and earlier ones. */
  readonly holder: Holder;
  /** Only this job. */
  readonly only?: string;
  /** All but these. */
  readonly except?: readonly string[];
  /**
   * What ended while it ran them; `silent` when the node hung or was cut off, of which a job is rarely the cause; null
   * when nothing did, so that it does not count against the jobs.
   */
  readonly lost: 'node' | 'thread' | 'silent' | null;
  /** What had nothing beside it, as `subjectOf` calls it. Default: nothing. */
  readonly alone?: string | null;
}

/** As `subjectOf` has it. */
const SUBJECT = sql.raw(`'job ' || j.id`);
const SUSPECTED = sql.raw(`coalesce((j.output->>'suspected')::int, 0)`);

/**
 * A suspect begins: from now on the end of its node says something about it.
 *
 * @returns false when the job is another's now
 */
export async function beginSuspect(db: Db, job: ClaimedJob): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update queue_claim set waits = false
    where ${isClaimOf(job)}`.execute(db);
  return numAffectedRows === 1n;
}

/**
 * Gives jobs back: they are due at once, and the attempt does not count as a failure. What was lost with them is noted,
 * because a job that brings down one node after the other must not go on for ever. One that was not alone is no more
 * than suspect by that.
 *
 * @returns how many
 */
export async function releaseJobs(
  db: Db,
  { holder, only, except = [], lost, alone = null }: Release,
): Promise<number> {
  const label = lost === 'thread' ? 'a script thread of ' : lost === 'silent' ? SILENT : '';
  const { rows } = await sql<{ count: number }>`
    with gone as (
      delete from queue_claim
      where node_id = ${holder.nodeId} and node_epoch <= ${holder.epoch}
        and (${only ?? null}::uuid is null or job_id = ${only ?? null})
        and not (job_id = any (${except}::uuid[]))
      returning job_id, queue, attempt, waits
    ), released as (
      update svc_pgboss.job j
      -- Without a start the next claim does not count as another attempt.
      set state = 'retry', started_on = null, heartbeat_on = null,
          start_after = now(),
          output = case when ${lost === null} or g.waits then j.output else jsonb_build_object(
            'lostWith', coalesce(j.output->'lostWith', '[]')
                        || to_jsonb(${label} || (select name from cluster_node where id = ${holder.nodeId})),
            'suspected', case when ${lost === 'silent'} then ${SUSPECTED}
                              when ${SUBJECT} = ${alone} then ${SUSPECTED} + 1
                              else greatest(${SUSPECTED}, least(${SUSPECTED} + 1, ${MAX_SUSPICIONS - 1})) end) end
      from gone g
      where j.name = g.queue and j.id = g.job_id and j.state = 'active' and j.retry_count = g.attempt
      returning 1
    )
    select count(*)::int as count from released`.execute(db);
  return rows[0]!.count;
}

/** Claims of lives that are over: a node that was given up while its claim was on the way leaves such rows. */
export async function listOrphanedHolders(db: Db): Promise<Holder[]> {
  const { rows } = await sql<Holder>`
    select c.node_id as "nodeId", max(c.node_epoch) as epoch
    from queue_claim c join cluster_node n on n.id = c.node_id
    where c.node_epoch < n.epoch or n.state = 'down'
    group by c.node_id`.execute(db);
  return rows;
}

/** Its next failure is its last. */
export async function endRetries(db: Db, { queue, id, retryCount }: ClaimedJob): Promise<void> {
  await sql`
    update svc_pgboss.job set retry_limit = ${retryCount}
    where name = ${queue} and id = ${id} and state = 'active' and retry_count = ${retryCount}`.execute(db);
}

/** Of its next failure. pg-boss counts in seconds. */
export async function setRetryDelay(
  db: Db,
  { queue, id, retryCount }: ClaimedJob,
  ms: number,
): Promise<void> {
  await sql`
    update svc_pgboss.job set retry_delay = ${Math.ceil(ms / 1000)}
    where name = ${queue} and id = ${id} and state = 'active' and retry_count = ${retryCount}`.execute(db);
}

/** When a job that has failed runs again (epoch ms); null for one that is a dead letter. */
export async function findRetryAt(db: Db, { queue, id }: ClaimedJob): Promise<number | null> {
  const { rows } = await sql<{ at: Date }>`
    select start_after as at from svc_pgboss.job
    where name = ${queue} and id = ${id} and state = 'retry'`.execute(db);
  return rows[0]?.at.getTime() ?? null;
}
