import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { oneRow } from '#database/index.ts';

export interface Waits {
  readonly executions: readonly { readonly id: number; readonly at?: string; readonly is?: string }[];
  readonly tasks: readonly {
    readonly element: string;
    readonly execution: number;
    readonly taskId: string;
    readonly name: string | null;
    readonly assignee: string | null;
    readonly candidateUsers: string[];
    readonly candidateGroups: string[];
  }[];
  readonly jobs: readonly {
    readonly kind: string;
    readonly element: string;
    readonly execution: number | null;
    readonly jobId: string;
    readonly dueAt: string;
    readonly retries: number;
    readonly isDeadLetter: boolean;
    readonly exceptionMessage: string | null;
  }[];
  readonly subscriptions: readonly {
    readonly event: string;
    readonly event_name: string;
    readonly element: string;
    readonly execution: number;
  }[];
  readonly children: readonly { readonly execution: number; readonly processInstanceId: string }[];
}

export async function findWaits(db: Db, id: string): Promise<Waits> {
  const { rows } = await sql<Waits>`
    select
      coalesce((select s.state->'executions' from workflow_state s where s.instance_id = ${id}), '[]') as executions,
      (select coalesce(jsonb_agg(jsonb_build_object(
           'element', t.element, 'execution', t.execution, 'taskId', t.id, 'name', t.name, 'assignee', t.assignee,
           'candidateUsers', (select coalesce(jsonb_agg(l.user_id order by l.user_id), '[]') from workflow_identity_link l
                              where l.task_id = t.id and l.type = 'candidate' and l.user_id is not null),
           'candidateGroups', (select coalesce(jsonb_agg(l.group_id order by l.group_id), '[]') from workflow_identity_link l
                               where l.task_id = t.id and l.type = 'candidate' and l.group_id is not null)
         ) order by t.execution), '[]')
       from workflow_task t where t.instance_id = ${id} and t.ended_at is null) as tasks,
      (select coalesce(jsonb_agg(jsonb_build_object(
           'kind', j.kind, 'element', j.element, 'execution', j.execution, 'jobId', j.id, 'dueAt', j.due_at,
           'retries', j.retries, 'isDeadLetter', j.is_dead, 'exceptionMessage', j.exception) order by j.due_at), '[]')
       from workflow_job j where j.instance_id = ${id}) as jobs,
      (select coalesce(jsonb_agg(jsonb_build_object(
           'event', s.event, 'event_name', s.name, 'element', s.element, 'execution', s.execution) order by s.execution), '[]')
       from workflow_subscription s where s.instance_id = ${id}) as subscriptions,
      (select coalesce(jsonb_agg(jsonb_build_object('execution', i.super_execution, 'processInstanceId', i.id) order by i.id), '[]')
       from workflow_instance i where i.super_instance_id = ${id} and i.ended_at is null) as children`.execute(
    db,
  );
  return oneRow(rows);
}
