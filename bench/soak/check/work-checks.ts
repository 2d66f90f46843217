import { PLACES } from '../project.ts';
import { answers, type Check } from './check.ts';

/** Scans and processes. */
export const WORK_CHECKS: readonly Check[] = [
  {
    name: 'scans end',
    of: answers('scan'),
    promise: 'a scan whose start was answered with 2xx has ended, and its counts are those of its objects',
    sql: `
      select a.key as scan, a.node, r.state, r.total, r.successes, r.failures, r.skipped, r.error,
             count(o.id) filter (where o.data->'task' ? 'completed') as completed, count(o.id) as objects
      from soak.answer a
      left join svc_scan_run r on r.run_id = a.info::uuid
      left join soak.item i on i.scan = a.key
      left join managed_object o on o.type = 'item' and o.id = i.id
      where a.deed = 'scan' and a.outcome = 'done'
      group by 1, 2, 3, 4, 5, 6, 7, r.error::text, r.error
      having r.state is distinct from 'ERROR' and (r.state is distinct from 'COMPLETED'
          or r.successes <> count(o.id) filter (where o.data->'task' ? 'completed')
          or r.successes + r.failures + r.skipped <> count(o.id))`,
  },
  {
    name: 'scanned objects',
    of: 'select count(*) from soak.item',
    promise: 'an object was processed once, or not at all, and its mark and its own change agree',
    sql: `
      select i.scan, i.id, o.data->'times' as times, o.data->'task' as task, count(e.mark) as marks
      from soak.item i
      join managed_object o on o.type = 'item' and o.id = i.id
      left join soak.effect e on e.data->>'item' = i.id
      group by 1, 2, o.data
      having count(e.mark) > 1 or count(e.mark) <> (o.data->>'times')::int
          or (count(e.mark) = 1) <> (coalesce(o.data->'task', '{}') ? 'completed')`,
  },
  {
    name: 'refused scans',
    of: answers('scan'),
    promise: 'a scan whose start was answered with an error processed nothing',
    sql: `
      select a.key as scan, a.node, a.status, a.detail, count(e.mark) as marks
      from soak.answer a join soak.item i on i.scan = a.key join soak.effect e on e.data->>'item' = i.id
      where a.deed = 'scan' and a.outcome = 'refused' group by 1, 2, 3, 4`,
  },
  {
    name: 'steps',
    of: `select count(*) from soak.effect where data ? 'instance'`,
    promise: 'each step of a process happened once',
    sql: `
      select i.id as instance, i.business_key, i.started_at, i.ended_at, s.state->'executions' as at,
             (select jsonb_agg(e.data->>'at' order by e.data->>'at') from soak.effect e
              where e.data->>'instance' = i.id::text) as steps,
             (select jsonb_agg(jsonb_build_object('kind', j.kind, 'element', j.element, 'due', j.due_at,
                     'dead', j.is_dead, 'exception', left(j.exception, 200))) from workflow_job j
              where j.instance_id = i.id) as jobs
      from workflow_instance i left join workflow_state s on s.instance_id = i.id
      where i.definition_key = 'soak'
        and (select array_agg(e.data->>'at' order by e.data->>'at') from soak.effect e
             where e.data->>'instance' = i.id::text)
            is distinct from array[${PLACES.map((place) => `'${place}'`).join(', ')}]`,
  },
  {
    name: 'processes end',
    of: 'select count(*) from workflow_instance',
    promise: 'every process that was started has come to its end',
    sql: `select id, business_key, started_at, delete_reason from workflow_instance where ended_at is null`,
  },
  {
    name: 'steps of nothing',
    of: `select count(*) from soak.effect where data ? 'instance'`,
    promise: 'no step was done for a process that is not there',
    sql: `
      select e.data, e.entered_at from soak.effect e
      where e.data ? 'instance' and not exists (
        select 1 from workflow_instance i where i.id::text = e.data->>'instance')`,
  },
];
