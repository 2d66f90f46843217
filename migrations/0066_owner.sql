-- breaking: nodes of the version before would fire schedules that are in the memory of others

-- A schedule that is not persisted belongs to one life of one node: only that claims it, and it goes with it. Each
-- node may have one of the same id, as it does of a file.
alter table scheduler_job
  add column owner_id    int,
  add column owner_epoch bigint,
  add constraint scheduler_job_owner check ((owner_id is null) = (owner_epoch is null)),
  drop constraint scheduler_job_id_key,
  add constraint scheduler_job_id_key unique nulls not distinct (id, owner_id);
create index scheduler_job_life on scheduler_job (owner_id, owner_epoch) where owner_id is not null;
comment on column scheduler_job.owner_id is 'The node that has it in memory; null for a persisted one';
comment on column scheduler_job.owner_epoch is 'The life of that node; when it is over, so is the schedule';

alter table scheduler_removed add column with_node boolean not null default false;
comment on column scheduler_removed.with_node is 'It was in the memory of a node and has gone with it';

-- Claims walk what any node may have, and what is their own: never what is in the memory of others.
alter table scheduler_due
  add column owner_id    int,
  add column owner_epoch bigint;
drop index scheduler_due_time;
create index scheduler_due_time on scheduler_due (due_at, priority desc) where owner_id is null;
create index scheduler_due_own on scheduler_due (owner_id, owner_epoch, due_at, priority desc) where owner_id is not null;
comment on column scheduler_due.owner_id is 'The only node that may claim it, in that life of its; null for all nodes';

-- All that starts runs passes one gate now, so nobody needs to be told of pauses.
alter table cluster_node drop column pauses;

drop view scheduler_job_view;
drop view svc_schedule;
drop view svc_trigger;

create view svc_trigger as
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
                           'nextFireTime', d.fire_at, 'definition', j.definition)::text as serialized,
         o.name as owner,
         j.trigger_id
  from scheduler_job j
  left join cluster_node o on o.id = j.owner_id
  left join lateral (select min(fire_at) as fire_at from scheduler_due
                     where trigger_id = j.trigger_id and generation = j.generation and kind = 'planned') d on true
  left join lateral (select n.name as node, r.fire_at, r.started_at from scheduler_run r
                     join cluster_node n on n.id = r.node_id
                     where r.trigger_id = j.trigger_id
                     order by r.started_at is null, r.fire_at desc limit 1) r on true
  -- The run that ended last need not be the one that was planned last, but it is near. Those of the same id in the
  -- memory of other nodes lie between.
  left join lateral (
    select max(ended_at) as ended_at from (
      (select f.trigger_id, f.ended_at from scheduler_firing f
       where j.owner_id is null and f.job_id = j.id and f.started_at is not null
       order by f.planned_at desc limit 5)
      union all
      (select f.trigger_id, f.ended_at from scheduler_firing f
       where j.owner_id is not null and f.job_id = j.id and f.started_at is not null
       order by f.planned_at desc limit 250)) ended
    where trigger_id = j.trigger_id) e on true
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
  'State of every trigger: 0 normal, 1 paused, 2 complete, 3 error, 4 blocked by its own run; and the one before it. A disabled schedule has a trigger while a run of it goes on. owner is the node that has it in memory';

create or replace function scheduler_state_of(trigger_id bigint) returns table (state int, previous_state int)
  language sql volatile rows 1 as $$
  select coalesce(t.state, -1), coalesce(t.previous_state, -1)
  from scheduler_job j left join svc_trigger t on t.trigger_id = j.trigger_id
  where j.trigger_id = scheduler_state_of.trigger_id
$$;


create view svc_schedule as
  select j.id as schedule,
         coalesce((j.definition->>'enabled')::boolean, true) as enabled,
         j.definition->>'type' as type, j.definition->>'schedule' as expression,
         j.definition->>'timeZone' as time_zone, j.definition->>'invokeService' as service, j.source,
         t.state_name as state, t.next_fire_at, t."nodeId" as running_on,
         last.planned_at as last_planned_at, last.outcome as last_outcome, last.error is not null as last_failed,
         o.name as owner, j.trigger_id
  from scheduler_job j
  left join cluster_node o on o.id = j.owner_id
  left join svc_trigger t on t.trigger_id = j.trigger_id
  left join lateral (
    (select f.planned_at, f.outcome, f.error from scheduler_firing f
     where j.owner_id is null and f.job_id = j.id order by f.planned_at desc limit 1)
    union all
    (select planned_at, outcome, error from (
       select * from scheduler_firing f where j.owner_id is not null and f.job_id = j.id
       order by f.planned_at desc limit 250) own
     where trigger_id = j.trigger_id order by planned_at desc limit 1)) last on true;
comment on view svc_schedule is 'Schedules with their next and last firing. owner is the node that has it in memory, null for a persisted one';

-- A schedule as the REST interface shows it, one column for each group of its fields. The trigger of one in memory is
-- no record of the repository.
create view scheduler_job_view as
  select j.trigger_id, j.id, j.generation, j.definition, j.source, j.paused,
         case when t.name is null then '[]'::jsonb
              else jsonb_build_array(case when j.owner_id is null then jsonb_build_object('_id', t._id, '_rev', j.generation::text)
                                          else '{}' end || jsonb_build_object(
           'serialized', t.serialized, 'name', t.name, 'group', t."group",
           'previous_state', t.previous_state, 'state', t.state, 'acquired', t.acquired, 'nodeId', t."nodeId")) end
         as triggers,
         t.next_fire_at as next_run_at,
         previous.planned_at as previous_run_at,
         j.owner_id, o.name as owner
  from scheduler_job j
  left join cluster_node o on o.id = j.owner_id
  left join svc_trigger t on t.trigger_id = j.trigger_id
  left join lateral (
    (select f.planned_at from scheduler_firing f
     where j.owner_id is null and f.job_id = j.id and f.started_at is not null
     order by f.planned_at desc limit 1)
    union all
    (select planned_at from (
       select f.trigger_id, f.planned_at from scheduler_firing f
       where j.owner_id is not null and f.job_id = j.id and f.started_at is not null
       order by f.planned_at desc limit 250) own
     where trigger_id = j.trigger_id order by planned_at desc limit 1)) previous on true;
comment on view scheduler_job_view is 'Schedules with their trigger record, their next and their previous run';

create or replace view svc_firing as
  select planned_at, job_id as schedule, outcome, error is not null as failed, node, attempt, started_at, ended_at,
         round(late_ms::numeric, 1) as late_ms,
         round((extract(epoch from ended_at - started_at) * 1000)::numeric, 1) as took_ms, why, error, log, claimed_at,
         trigger_id
  from scheduler_firing;
comment on view svc_firing is
  'What happened to each planned time, and on which node. trigger_id tells apart schedules of the same id, as in svc_schedule';
