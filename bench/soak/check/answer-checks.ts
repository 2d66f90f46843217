import { answers, type Check } from './check.ts';

/** What a client was told, next to what is in the database. */
export const ANSWER_CHECKS: readonly Check[] = [
  {
    name: 'created',
    of: answers('createPlain', 'createHooked'),
    promise:
      'an object whose creation was answered with 2xx is there once, unless its deletion was asked for',
    sql: `
      select a.deed, a.key, a.node, a.answered_at, count(o.id) as found
      from soak.answer a
      left join managed_object o on o.data->>'key' = a.key
       and o.type = case a.deed when 'createPlain' then 'plain' else 'hooked' end
      where a.deed in ('createPlain', 'createHooked') and a.outcome = 'done'
        and not exists (select 1 from soak.answer d where d.deed = 'deletePlain' and d.key = a.key)
      group by 1, 2, 3, 4 having count(o.id) <> 1`,
  },
  {
    name: 'not created',
    of: answers('createPlain', 'createHooked'),
    promise:
      'an object whose creation was answered with an error is not there; one without an answer is there at most once',
    sql: `
      select a.deed, a.key, a.node, a.outcome, a.status, a.detail, a.answered_at, count(o.id) as found
      from soak.answer a
      join managed_object o on o.data->>'key' = a.key and o.type in ('plain', 'hooked')
      where a.deed in ('createPlain', 'createHooked') and a.outcome <> 'done'
      group by 1, 2, 3, 4, 5, 6, 7 having a.outcome = 'refused' or count(o.id) > 1`,
  },
  {
    name: 'deleted',
    of: answers('deletePlain'),
    promise: 'an object whose deletion was answered with 2xx is gone; one that was not deleted is there',
    sql: `
      select d.key, d.node, d.outcome, d.status, d.detail, o.id is not null as found
      from soak.answer d
      left join managed_object o on o.type = 'plain' and o.data->>'key' = d.key
      where d.deed = 'deletePlain'
        and (d.outcome = 'done' and o.id is not null or d.outcome = 'refused' and o.id is null)`,
  },
  {
    name: 'hooks',
    of: `select count(*) from managed_object where type in ('hooked', 'echo')`,
    promise: 'what a hook wrote is there exactly if its object is',
    sql: `
      select coalesce(h.data->>'key', e.data->>'of') as key, h.id as hooked, e.id as echo
      from (select * from managed_object where type = 'hooked') h
      full join (select * from managed_object where type = 'echo') e on e.data->>'of' = h.data->>'key'
      where h.id is null or e.id is null
      union all
      select data->>'of', null, min(id) from managed_object where type = 'echo' group by 1 having count(*) > 1`,
  },
  {
    name: 'updates',
    of: answers('increment'),
    promise:
      'an update that was answered with 2xx happened once, one that was answered with an error did not',
    sql: `
      select a.key as op, a.node, a.outcome, a.status, a.detail, count(s.id) as happened
      from soak.answer a left join managed_object s on s.type = 'step' and s.data->>'op' = a.key
      where a.deed = 'increment'
      group by 1, 2, 3, 4, 5
      having a.outcome = 'done' and count(s.id) <> 1 or a.outcome = 'refused' and count(s.id) <> 0
          or count(s.id) > 1`,
  },
  {
    name: 'counters',
    of: `select count(*) from managed_object where type = 'step'`,
    promise: 'a counter has been raised as often as its updates happened: none was overwritten by another',
    sql: `
      select c.id, c.data->'n' as n, count(s.id) as steps, c.rev
      from managed_object c left join managed_object s on s.type = 'step' and s.data->>'counter' = c.id
      where c.type = 'counter'
      group by c.id, c.data, c.rev
      having (c.data->>'n')::int <> count(s.id) or c.rev <> count(s.id)`,
  },
  {
    name: 'schedules',
    of: answers('schedule'),
    promise: 'a schedule whose creation was answered with 2xx has fired once, one that was refused has not',
    sql: `
      select a.key, a.node, a.outcome, a.status, a.detail, a.answered_at,
             count(f.planned_at) as fired
      from soak.answer a left join scheduler_firing f on f.job_id = a.key and f.started_at is not null
      where a.deed = 'schedule'
      group by 1, 2, 3, 4, 5, 6
      having case a.outcome when 'done' then count(f.planned_at) <> 1 when 'refused' then count(f.planned_at) <> 0
             else count(f.planned_at) > 1 end`,
  },
  {
    name: 'edited schedules',
    of: answers('editSchedule', 'deleteSchedule'),
    promise: 'nothing of an older version of a schedule starts after the answer to its edit or deletion',
    sql: `
      select a.deed, a.key, a.info as version, a.answered_at, b.asked_at as started_at, b.version as ran
      from soak.answer a join soak.begun b on b.job = a.key and b.asked_at > a.answered_at
      where a.deed in ('editSchedule', 'deleteSchedule') and a.outcome = 'done' and b.version < a.info::int`,
  },
  {
    name: 'started processes',
    of: answers('startProcess'),
    promise: 'a process whose start was answered with 2xx was started once, one that was refused was not',
    sql: `
      select a.key, a.node, a.outcome, a.status, a.detail, count(i.id) as started
      from soak.answer a left join workflow_instance i on i.business_key = a.key
      where a.deed = 'startProcess'
      group by 1, 2, 3, 4, 5
      having case a.outcome when 'done' then count(i.id) <> 1 when 'refused' then count(i.id) <> 0
             else count(i.id) > 1 end`,
  },
  {
    name: 'completed tasks',
    of: answers('completeTask'),
    promise: 'a task whose completion was answered with 2xx has ended, and was completed once',
    sql: `
      select a.key as task, count(*) as completions, t.ended_at
      from soak.answer a left join workflow_task t on t.id = a.key::uuid
      where a.deed = 'completeTask' and a.outcome = 'done'
      group by 1, 3 having count(*) > 1 or t.ended_at is null`,
  },
  {
    name: 'messages',
    of: answers('sendMessage'),
    promise: 'a process takes a message once',
    sql: `
      select key as instance, count(*) as taken from soak.answer
      where deed = 'sendMessage' and outcome = 'done' group by 1 having count(*) > 1`,
  },
  {
    name: 'sessions',
    of: answers('useSession'),
    promise:
      'a session is known to every node until its end was asked for, and to none once that was answered',
    sql: `
      select key, node, info as state, status, detail, answered_at from soak.answer
      where deed = 'useSession' and (info = 'open' and status in (401, 403) or info = 'ended' and status = 200)`,
  },
];
