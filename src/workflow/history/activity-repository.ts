import { sql } from 'kysely';
import type { Db } from '#database/index.ts';

/** So many activities of an instance are listed at most, the first ones. */
export const MOST_ACTIVITIES = 5_000;

/** A stay of an instance at an element. */
export interface ActivityRow {
  readonly execution: number;
  readonly element: string;
  /** Null of one that a job has still to begin, or a timer to fire. */
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
  readonly reason: string | null;
  /** The user who had the task. */
  readonly actor: string | null;
  readonly task_id: string | null;
  readonly job_id: string | null;
  readonly is_dead: boolean | null;
  readonly called_id: string | null;
}

/** What an instance went through, in its order, with the tasks, jobs and called instances of these places, and last what is to come; up to one more. */
export async function listActivities(db: Db, instanceId: string): Promise<readonly ActivityRow[]> {
  const { rows } = await sql<ActivityRow>`
    with jobs as materialized (
      select * from workflow_job where instance_id = ${instanceId} and kind in ('async', 'timer'))
    select a.execution, a.element, a.started_at, a.ended_at, a.reason, t.assignee as actor, t.id as task_id,
           j.id as job_id, j.is_dead, c.id as called_id
    from (select * from workflow_activity where instance_id = ${instanceId}
          order by started_at, execution limit ${MOST_ACTIVITIES + 1}) a
    left join workflow_task t
      on t.instance_id = a.instance_id and t.execution = a.execution and t.element = a.element
    left join lateral (select j.id, j.is_dead from jobs j where j.execution = a.execution and j.element = a.element
                       order by j.is_dead desc limit 1) j on true
    left join lateral (select c.id from workflow_instance c
                       where c.super_instance_id = a.instance_id and c.super_execution = a.execution
                         and c.started_at >= a.started_at and c.started_at <= coalesce(a.ended_at, 'infinity')
                       order by c.id limit 1) c on true
    union all
    select j.execution, j.element, null, null, null, null, null, j.id, j.is_dead, null from jobs j
    where not exists (select from workflow_activity a
                      where a.instance_id = j.instance_id and a.execution = j.execution and a.element = j.element)
    order by started_at, execution limit ${MOST_ACTIVITIES + 1}`.execute(db);
  return rows;
}
