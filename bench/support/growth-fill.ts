import { onServer } from './postgres.ts';
import { fillUsers } from './users.ts';

/** The process that instances of the history belong to, with one user task. */
export const LISTED_PROCESS = `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="bench"><process id="listed">
  <startEvent id="s"/><userTask id="t"/><endEvent id="e"/><sequenceFlow id="a" sourceRef="s" targetRef="t"/>
  <sequenceFlow id="b" sourceRef="t" targetRef="e"/></process></definitions>`;

/** Schedules that are due, however many there are. */
const DUE = 200;
/** One of so many tasks is open. */
const OPEN_SHARE = 10;

const instanceId = `('01900000-0000-7000-8000-' || lpad(to_hex(n), 6, '0') || '000000')::uuid`;
const taskId = `('01900000-0000-7000-8000-' || lpad(to_hex(n), 6, '0') || '000002')::uuid`;

/** So many users, entries of the audit, schedules and firings, as if they had been there for long; side by side. */
export async function fillEverything(url: string, count: number, { firings = count } = {}): Promise<void> {
  const tables = [
    `insert into audit_event (id, topic, recorded_at, transaction_id, user_id, object_id, event)
     select ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'activity', now() - n * interval '1 second',
            'transaction-' || n, 'user-' || n % 1000, 'managed/user/user-' || n,
            jsonb_build_object('operation', 'UPDATE', 'userId', 'user-' || n % 1000)
     from generate_series(1, ${count}) n`,
    `insert into scheduler_job (id, definition, source, content_hash)
     select 'job-' || n,
            '{"enabled": true, "type": "cron", "persisted": true, "invokeService": "svc.service.script",
              "misfirePolicy": "fireAndProceed", "concurrentExecution": false, "schedule": "0 0 * * * ?",
              "startTime": null, "endTime": null, "timeZone": "UTC", "invokeLogLevel": "info",
              "invokeContext": {"script": {"type": "text/javascript", "source": "null"}}}', 'rest', ''
     from generate_series(1, ${count}) n;
     insert into scheduler_due (due_at, fire_at, trigger_id, generation)
     select t.at, t.at, trigger_id, generation
     from scheduler_job
     cross join lateral (select case when trigger_id % ${Math.floor(count / DUE)} = 0 then clock_timestamp()
                                else now() + interval '1 day' + trigger_id * interval '1 ms' end as at) t`,
    `insert into scheduler_firing (planned_at, trigger_id, generation, job_id, outcome, node, claimed_at, started_at,
                                   ended_at, late_ms)
     select t.at, 1 + n % 1000, 1, 'job-' || 1 + n % 1000, 'fired', 'bench', t.at, t.at, t.at, 0.5
     from generate_series(1, ${firings}) n
     cross join lateral (select now() - n * interval '1 second' as at) t`,
  ];
  await Promise.all([fillUsers(url, count), ...tables.map((text) => onServer(url, text))]);
}

/** After the process was deployed. */
export async function fillHistory(url: string, count: number): Promise<void> {
  const [definition] = await onServer<{ id: string }>(
    url,
    `select id from workflow_definition where key = 'listed'`,
  );
  const ended = `case when n % ${OPEN_SHARE} <> 0 then now() end`;
  // Tasks do not wait for their instances: nothing checks references meanwhile.
  const tables = [
    `insert into workflow_instance (id, definition_id, definition_key, root_id, business_key, start_user_id, started_at,
                                    ended_at)
     select ${instanceId}, '${definition!.id}', 'listed', ${instanceId}, 'order-' || n, 'user-' || n % 1000,
            now() - n * interval '1 second', ${ended}
     from generate_series(1, ${count}) n`,
    `insert into workflow_task (id, instance_id, execution, element, definition_id, definition_key, name, assignee,
                                priority, created_at, ended_at)
     select ${taskId}, ${instanceId}, 2, 't', '${definition!.id}', 'listed', 'Task ' || n, 'user-' || n % 1000, 50,
            now() - n * interval '1 second', ${ended}
     from generate_series(1, ${count}) n`,
  ];
  await Promise.all(tables.map((text) => onServer(url, `set session_replication_role = replica; ${text}`)));
  await onServer(url, 'vacuum analyze');
}
