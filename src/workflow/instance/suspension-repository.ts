import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JobRow } from '../job/job-repository.ts';
import type { Suspension } from './instance.ts';

/**
 * The suspension of an instance whose state is `s`, in a tree whose root has the state `root`: its own or its definition's;
 * null when it goes on.
 */
export const SUSPENSION = sql`coalesce(
  case when root.suspended_at is not null then jsonb_build_object(
    'at', root.suspended_at, 'by', root.suspended_by, 'ref', 'workflow/processinstance/' || root.instance_id) end,
  (select jsonb_build_object('at', d.stopped_at, 'by', d.stopped_by, 'ref', 'workflow/processdefinition/' || d.id)
   from workflow_definition d
   where d.id in (s.definition_id, root.definition_id) and d.stopped_at is not null limit 1))`;

export async function findSuspension(db: Db, instanceId: string): Promise<Suspension | null> {
  const { rows } = await sql<{ suspended: Suspension | null }>`
    select ${SUSPENSION} as suspended from workflow_state s join workflow_state root on root.instance_id = s.root_id
    where s.instance_id = ${instanceId}`.execute(db);
  return rows[0]?.suspended ?? null;
}

/** Suspends or resumes a tree by its root. Its revision counts that, so that steps which have not seen it are not stored. */
export async function writeSuspension(db: Db, rootId: string, by: string | null): Promise<void> {
  await sql`
    update workflow_state
    set suspended_at = ${by === null ? null : sql`clock_timestamp()`}, suspended_by = ${by}, revision = revision + 1
    where instance_id = ${rootId}`.execute(db);
}

/** @returns false when it was so already */
export async function writeStop(db: Db, definitionId: string, by: string | null): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update workflow_definition
    set stopped_at = ${by === null ? null : sql`clock_timestamp()`}, stopped_by = ${by}, revision = revision + 1
    where id = ${definitionId} and (stopped_at is null) = ${by !== null}`.execute(db);
  return numAffectedRows === 1n;
}

/**
 * Jobs that have come due while a tree, or all of a definition, was suspended, the oldest first. What the queue holds for them
 * does nothing any more.
 */
export async function takeDueJobs(
  db: Db,
  of: { readonly rootId: string } | { readonly definitionId: string },
  most: number,
): Promise<readonly JobRow[]> {
  const whose =
    'rootId' in of
      ? sql`j.instance_id in (select instance_id from workflow_state where root_id = ${of.rootId})`
      : sql`(j.instance_id in (
               select s.instance_id from workflow_state s join workflow_state root on root.instance_id = s.root_id
               where s.definition_id = ${of.definitionId} or root.definition_id = ${of.definitionId})
             or (j.kind = 'startTimer' and j.definition_id = ${of.definitionId}))`;
  const { rows } = await sql<JobRow>`
    update workflow_job set revision = revision + 1
    where id in (select j.id from workflow_job j where ${whose} and not j.is_dead and j.due_at <= clock_timestamp()
                 order by j.due_at limit ${most})
    returning *`.execute(db);
  return rows;
}
