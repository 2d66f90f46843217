-- compatible

-- A pause is a promise: once it is answered, nothing planned starts. The statement that starts runs may have seen the
-- schedules as they were before the pause. So it passes a gate: it holds a shared lock until its end, under which it
-- asks again, and whoever pauses waits for that lock after the commit, and only then answers.
alter table scheduler_setting
  add column pauses     bigint not null default 0,
  add column changed_at timestamptz;
comment on column scheduler_setting.pauses is 'Counts every pause, of all schedules or of one';
comment on column scheduler_setting.changed_at is 'When all were paused or resumed for the last time';

-- Volatile, so that it sees what was committed after the statement began that calls it.
create function scheduler_pass_gate(seen bigint) returns boolean language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared(hashtext('scheduler start gate'));
  if (select pauses from scheduler_setting) <> seen then
    raise exception 'Schedules were paused meanwhile' using errcode = 'SVC01';
  end if;
  return true;
end $$;
comment on function scheduler_pass_gate is 'Fails, so that the start is tried again, when something was paused since its statement began';

create function scheduler_close_gate() returns void language sql volatile as
  $$ select pg_advisory_xact_lock(hashtext('scheduler start gate')) $$;
comment on function scheduler_close_gate is 'Waits until all starts have ended that may not have seen the last pause';

alter table cluster_node add column pauses bigint;
comment on column cluster_node.pauses is
  'Up to which pause the schedules in memory of the node follow; null while it has none or has told nothing';

-- The state before the last transition. Runs make most of them, and are read off the ledger; all others are noted here.
alter table scheduler_job
  add column state_before     smallint,
  add column state_changed_at timestamptz;
comment on column scheduler_job.state_before is
  'The state of the trigger before it was last paused, resumed, edited, parked or given up with its node';

create or replace view svc_trigger as
  select 'scheduler-service-group_$x$x$_' || j.id as _id,
         j.id as name,
         'scheduler-service-group' as "group",
         t.state,
         svc_trigger_state_name(t.state) as state_name,
         coalesce(case
           when t.state = 4 and j.state_changed_at >= r.started_at then j.state_before
           when t.state = 4 then case when not t.is_enabled then -1 when s.paused or j.paused then 1 else 0 end
           else (select before from (values
                   (j.state_changed_at, j.state_before::int),
                   -- All were paused or resumed, and it was not paused by itself.
                   (case when t.state < 3 and not j.paused and s.changed_at > j.created_at then s.changed_at end,
                    case when not s.paused then 1 when d.fire_at is null and r.node is null then 2 else 0 end),
                   -- It is disabled, and shown since its run began.
                   (case when not t.is_enabled then
                      (select min(started_at) from scheduler_run where trigger_id = j.trigger_id) end, -1),
                   -- Its run ended.
                   (case when t.state < 3 and (t.is_exclusive or t.state = 2) then e.ended_at end,
                    case when t.is_exclusive then 4 else 0 end)) as transition(at, before)
                 where at is not null order by at desc limit 1)
           end, -1) as previous_state,
         r.node is not null as acquired,
         r.node as "nodeId",
         d.fire_at as next_fire_at,
         r.fire_at as running_since_plan,
         r.started_at,
         j.parked,
         json_build_object('version', 1, 'jobId', j.id, 'generation', j.generation,
                           'nextFireTime', d.fire_at, 'definition', j.definition)::text as serialized
  from scheduler_job j
  left join lateral (select min(fire_at) as fire_at from scheduler_due
                     where trigger_id = j.trigger_id and generation = j.generation and kind = 'planned') d on true
  left join lateral (select n.name as node, r.fire_at, r.started_at from scheduler_run r
                     join cluster_node n on n.id = r.node_id
                     where r.trigger_id = j.trigger_id
                     order by r.started_at is null, r.fire_at desc limit 1) r on true
  -- The run that ended last need not be the one that was planned last, but it is near.
  left join lateral (select max(ended_at) filter (where trigger_id = j.trigger_id) as ended_at
                     from (select f.trigger_id, f.ended_at from scheduler_firing f
                           where f.job_id = j.id and f.started_at is not null
                           order by f.planned_at desc limit 5) f) e on true
  cross join scheduler_setting s
  cross join lateral (select is_enabled, is_exclusive, case
      when j.parked is not null then 3
      when r.started_at is not null and is_exclusive then 4
      when s.paused or j.paused then 1
      when d.fire_at is null and r.node is null then 2
      else 0 end as state
    from (select coalesce((j.definition->>'enabled')::boolean, true) as is_enabled,
                 not coalesce((j.definition->>'concurrentExecution')::boolean, false) as is_exclusive) as defined) t
  where t.is_enabled or r.started_at is not null;
comment on view svc_trigger is
  'State of every trigger: 0 normal, 1 paused, 2 complete, 3 error, 4 blocked by its own run; and the one before it. A disabled schedule has a trigger while a run of it goes on';

-- What a schedule shows before and after a change to it; -1 where it has no trigger.
create function scheduler_state_of(trigger_id bigint) returns table (state int, previous_state int)
  language sql volatile rows 1 as $$
  select coalesce(t.state, -1), coalesce(t.previous_state, -1)
  from scheduler_job j left join svc_trigger t on t.name = j.id where j.trigger_id = scheduler_state_of.trigger_id
$$;
