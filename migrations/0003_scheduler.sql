-- compatible

-- What waits knows how it competes: higher priority first among those of one instant, and whether it may run
-- beside another run of its schedule.
alter table scheduler_due
  add column priority   smallint not null default 5,
  add column concurrent boolean not null default false,
  add column kind       text not null default 'planned' check (kind in ('planned', 'manual', 'lost')),
  add column cause      jsonb;
comment on column scheduler_due.kind is 'planned by the schedule, manual: asked for, lost: only to be recorded as lost';
comment on column scheduler_due.cause is 'Why it is late, if somebody knows: blocked by a run, or released by a node';
drop index scheduler_due_time;
create index scheduler_due_time on scheduler_due (due_at, priority desc);

-- A schedule without concurrent execution has one slot, so that a second run of it cannot even be claimed; each run
-- of any other has a slot of its own. The default is for nodes that do not know slots yet.
alter table scheduler_run
  add column slot  bigint not null default floor(random() * 9e15),
  add column kind  text not null default 'planned',
  add column cause jsonb;
alter table scheduler_run drop constraint scheduler_run_pkey;
alter table scheduler_run add primary key (trigger_id, slot);
comment on column scheduler_run.slot is '0 for the only run of a schedule without concurrent execution';

alter table scheduler_job add column paused boolean not null default false;
comment on column scheduler_job.paused is 'Paused by itself: what waits for it is due at infinity until it is resumed';

-- The ledger by month. Months are made ahead; what the default partition took for a month meanwhile moves into it.
create or replace function scheduler_firing_add_partitions() returns void language plpgsql as $$
declare
  month date := date_trunc('month', now() at time zone 'UTC')::date;
  low   text;
  high  text;
  name  text;
begin
  perform pg_advisory_xact_lock(hashtext('scheduler_firing partitions'));
  for n in 0..2 loop
    name := 'scheduler_firing_' || to_char(month, 'YYYY_MM');
    low := month::text || 'T00:00:00Z';
    high := (month + interval '1 month')::date::text || 'T00:00:00Z';
    if to_regclass(name) is null then
      execute format('create table %I (like scheduler_firing including defaults including constraints)', name);
      execute format('with moved as (delete from scheduler_firing_other where planned_at >= %L and planned_at < %L
                                     returning *) insert into %I select * from moved', low, high, name);
      execute format('alter table scheduler_firing attach partition %I for values from (%L) to (%L)', name, low, high);
    end if;
    month := (month + interval '1 month')::date;
  end loop;
end $$;
comment on function scheduler_firing_add_partitions is 'Makes the partitions of this month and the next two';

create function scheduler_firing_prune(keep interval) returns int language plpgsql as $$
declare
  part    record;
  dropped int := 0;
begin
  perform pg_advisory_xact_lock(hashtext('scheduler_firing partitions'));
  for part in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'scheduler_firing'::regclass and c.relname ~ '^scheduler_firing_\d{4}_\d\d$'
      and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' < (now() - keep) at time zone 'UTC'
  loop
    execute format('drop table %I', part.relname);
    dropped := dropped + 1;
  end loop;
  delete from scheduler_firing_other where ended_at < now() - keep;
  return dropped;
end $$;
comment on function scheduler_firing_prune is 'Drops the months of the ledger that are older than is kept';

create or replace view svc_trigger as
  select 'scheduler-service-group_$x$x$_' || j.id as _id,
         j.id as name,
         'scheduler-service-group' as "group",
         t.state,
         svc_trigger_state_name(t.state) as state_name,
         case when t.state = 0 then -1 else 0 end as previous_state,
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
                     where r.trigger_id = j.trigger_id order by r.fire_at desc limit 1) r on true
  cross join scheduler_setting s
  cross join lateral (select case
      when j.parked is not null then 3
      when r.node is not null and not coalesce((j.definition->>'concurrentExecution')::boolean, false) then 4
      when s.paused or j.paused then 1
      when d.fire_at is null and r.node is null then 2
      else 0 end as state) t
  where coalesce((j.definition->>'enabled')::boolean, true);

-- A schedule as the REST interface shows it, one column for each group of its fields.
create view scheduler_job_view as
  select j.trigger_id, j.id, j.generation, j.definition, j.source, j.paused,
         case when t.name is null then '[]'::jsonb else jsonb_build_array(jsonb_build_object(
           '_id', t._id, '_rev', j.generation::text, 'serialized', t.serialized, 'name', t.name, 'group', t."group",
           'previous_state', t.previous_state, 'state', t.state, 'acquired', t.acquired, 'nodeId', t."nodeId")) end
         as triggers,
         t.next_fire_at as next_run_at,
         previous.planned_at as previous_run_at
  from scheduler_job j
  left join svc_trigger t on t.name = j.id
  left join lateral (select f.planned_at from scheduler_firing f
                     where f.job_id = j.id and f.started_at is not null
                     order by f.planned_at desc limit 1) previous on true;
comment on view scheduler_job_view is 'Schedules with their trigger record, their next and their previous run';

create or replace view svc_firing as
  select planned_at, job_id as schedule, outcome, error is not null as failed, node, attempt, started_at, ended_at,
         round(late_ms::numeric, 1) as late_ms,
         round((extract(epoch from ended_at - started_at) * 1000)::numeric, 1) as took_ms, why, error, log, claimed_at
  from scheduler_firing;
