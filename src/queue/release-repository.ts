import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { type Holder, heldByLivesOf, isOver, suspectedAfter } from '#work/index.ts';
import type { ClaimedJob } from './job.ts';
import { isClaimOf } from './job-repository.ts';

/** Begins the name of a node that did not end, but was given up because it hung or was cut off. */
const SILENT = 'the silent ';
const SUBJECT = 'job ';

/** What a job is called while it is alone on its node. */
export function subjectOf({ id }: Pick<ClaimedJob, 'id'>): string {
  return `${SUBJECT}${id}`;
}

export interface Release {
  /** The node whose jobs are released, those of this life and of earlier ones. */
  readonly holder: Holder;
  /** Names the jobs, where only these are released. */
  readonly only?: readonly string[];
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

/**
 * Gives jobs back: they are due at once, or at their time, and the attempt does not count as a failure. What was lost
 * with them is noted, because a job that brings down one node after the other must not go on for ever; one that was only
 * claimed ahead of its time has nothing to do with it. One that was not alone is no more than suspect by that.
 *
 * @returns how many
 */
export async function releaseJobs(
  db: Db,
  { holder, only, except = [], lost, alone = null }: Release,
): Promise<number> {
  const label = lost === 'thread' ? 'a script thread of ' : lost === 'silent' ? SILENT : '';
  const { numAffectedRows } = await sql`
    with held as (
      select id, ${lost !== null}::boolean and not waits and due_at <= clock_timestamp() as is_concerned
      from work_job
      where ${heldByLivesOf(holder)}
        and (${only ?? null}::uuid[] is null or id = any(${only ?? null}::uuid[])) and id <> all(${except}::uuid[])
      for update
    )
    update work_job j
    set node_id = null, node_epoch = null, due_at = greatest(j.due_at, clock_timestamp()),
        lost_with = case when h.is_concerned
          then j.lost_with || (${label} || (select name from cluster_node where id = ${holder.nodeId}))
          else j.lost_with end,
        suspected = case when not h.is_concerned or ${lost === 'silent'}::boolean then j.suspected
                         else ${suspectedAfter(sql`j.suspected`, sql`${SUBJECT} || j.id = ${alone}`)} end
    from held h
    where j.id = h.id`.execute(db);
  return Number(numAffectedRows);
}

/**
 * A suspect begins: from now on the end of its node says something about it.
 *
 * @returns false when the job is another's now
 */
export async function beginSuspect(db: Db, job: ClaimedJob): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update work_job set waits = false
    where ${isClaimOf(job)}`.execute(db);
  return numAffectedRows === 1n;
}

/** Lives that are over and hold jobs: a node that was given up while its claim was on the way leaves such rows. */
export async function listOrphanedHolders(db: Db): Promise<Holder[]> {
  const { rows } = await sql<Holder>`
    select j.node_id as "nodeId", max(j.node_epoch) as epoch
    from work_job j join cluster_node n on n.id = j.node_id
    where j.node_id is not null and ${isOver(sql`j.node_epoch`)}
    group by j.node_id`.execute(db);
  return rows;
}
