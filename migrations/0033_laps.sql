-- compatible

-- While another session holds a snapshot, nothing that was deleted leaves its index. An index that begins with the schedule
-- gets each new entry beside the dead ones of the same schedule, so that after a while each firing is on a page of its own:
-- gigabytes are read, written and logged in turn. So these begin with the lap, about a minute of the planned time, which comes
-- round again after sixteen: what is written now lies together, and what is dead lies elsewhere, untouched. Whoever looks for
-- a schedule by itself asks all sixteen.
create function scheduler_laps() returns smallint[] language sql immutable parallel safe
  return '{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15}'::smallint[];
comment on function scheduler_laps is 'All laps: an index that begins with the lap serves a search without one when it names them all';

create function scheduler_lap_of(slot bigint) returns smallint language sql immutable parallel safe
  return (slot >> 26 & 15)::smallint;
comment on function scheduler_lap_of is 'The lap of the slot of a run: sixteenths of a bit more than seventeen minutes';

alter table scheduler_run drop constraint scheduler_run_pkey,
  add lap smallint not null generated always as ((slot >> 26 & 15)::smallint) stored,
  add primary key (lap, trigger_id, slot);
comment on column scheduler_run.lap is 'scheduler_lap_of(slot)';

drop index scheduler_due_trigger;
alter table scheduler_due add lap smallint not null generated always as
  (((date_part('epoch', fire_at - timestamptz '1970-01-01 00:00:00+00') * 1000)::bigint >> 16 & 15)::smallint) stored;
create unique index scheduler_due_trigger on scheduler_due (lap, trigger_id, generation, fire_at);
comment on column scheduler_due.lap is 'The same of its planned time';

create or replace view scheduler_trigger_view as
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
                      (select min(started_at) from scheduler_run where lap = any(scheduler_laps()) and trigger_id = j.trigger_id) end, -1),
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
  -- The earliest that waits, in words that can be one join for all schedules as well as a look-up for each.
  left join (select trigger_id, generation, fire_at from scheduler_due w
             where lap = any(scheduler_laps()) and kind = 'planned' and not exists (
               select from scheduler_due e
               where e.lap = any(scheduler_laps()) and e.trigger_id = w.trigger_id and e.generation = w.generation
                 and e.fire_at < w.fire_at and e.kind = 'planned')) d
    on d.trigger_id = j.trigger_id and d.generation = j.generation
  left join lateral (select n.name as node, r.fire_at, r.started_at from scheduler_run r
                     join cluster_node n on n.id = r.node_id
                     where r.lap = any(scheduler_laps()) and r.trigger_id = j.trigger_id
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
