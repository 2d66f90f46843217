-- compatible

-- Which migrations stand in this database, and which of them older nodes cannot live with.
create table schema_version (
  name       text primary key,
  breaking   text,
  applied_at timestamptz not null default now()
);
comment on table schema_version is 'Applied migrations; breaking says why older nodes must not run on this schema';

-- Managed objects: one row each. What users define is jsonb, what the server needs is a column.
create table managed_object (
  type       text collate "C" not null,
  id         text collate "C" not null check (id <> ''),
  rev        bigint not null default 0,
  data       jsonb not null check (jsonb_typeof(data) = 'object'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (type, id)
);
comment on table managed_object is 'Objects of the types in managed.json; data never holds _id or _rev';

-- Everything else below /repo: internal users and roles, and what scripts keep there.
create table repo_object (
  type       text collate "C" not null,
  id         text collate "C" not null check (id <> ''),
  rev        bigint not null default 0,
  data       jsonb not null check (jsonb_typeof(data) = 'object'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (type, id)
);
comment on table repo_object is 'Raw objects below /repo; type is the path, such as internal/user';

-- One row per node that ever joined. A take-over raises the epoch: what the old epoch still writes is refused.
create table cluster_node (
  id         int generated always as identity primary key,
  name       text collate "C" not null unique,
  epoch      bigint not null default 1,
  state      text not null default 'running' check (state in ('running', 'down')),
  roles      text[] not null default '{}',
  started_at timestamptz not null default now(),
  seen_at    timestamptz not null default now(),
  stopped_at timestamptz,
  recovery   jsonb
) with (fillfactor = 50);
comment on table cluster_node is 'Nodes of the cluster; seen_at is the last heartbeat, by the clock of the database';

-- The one predicate of liveness, shared by recovery, the API and the views.
create function svc_node_state(state text, seen_at timestamptz) returns text
  language sql stable parallel safe
  return case when state = 'down' then 'down'
              when seen_at < clock_timestamp() - interval '3 seconds' then 'lost'
              else 'running' end;
comment on function svc_node_state is 'running, lost (no heartbeat for 3 s) or down (stopped, or recovered by another node)';

create view svc_node as
  select name, svc_node_state(state, seen_at) as state, roles, epoch, started_at, seen_at, stopped_at, recovery
  from cluster_node;
comment on view svc_node is 'Who is in the cluster, and who is alive';

-- Scheduler. Definition and motion are separate: a firing never touches scheduler_job.
create table scheduler_setting (
  single boolean primary key default true check (single),
  paused boolean not null default false
);
insert into scheduler_setting default values;
comment on table scheduler_setting is 'One row: paused stops all claims in the cluster';

create table scheduler_job (
  trigger_id   bigint generated always as identity primary key,
  id           text collate "C" not null unique check (id <> ''),
  generation   int not null default 1,
  definition   jsonb not null,
  source       text not null check (source in ('rest', 'file')),
  content_hash text not null,
  parked       jsonb,
  created_at   timestamptz not null default now(),
  updated_at   timestamptz not null default now()
);
comment on table scheduler_job is 'Schedules; generation counts the edits that change when it fires, parked says why it was stopped';

create table scheduler_due (
  due_at       timestamptz not null,
  fire_at      timestamptz not null,
  trigger_id   bigint not null,
  generation   int not null,
  attempt      smallint not null default 1,
  late_from    timestamptz,
  next_planned boolean not null default false
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0,
        autovacuum_vacuum_insert_scale_factor = 0.1);
create index scheduler_due_time on scheduler_due (due_at);
create unique index scheduler_due_trigger on scheduler_due (trigger_id, generation, fire_at);
comment on table scheduler_due is 'What waits to fire';
comment on column scheduler_due.due_at is 'When it may be claimed; never in the past when written, so that claims can skip what lies behind';
comment on column scheduler_due.fire_at is 'The planned time, as the job is told';
comment on column scheduler_due.late_from is 'Lateness counts from here instead of fire_at: set when a dead node''s claim was released';
comment on column scheduler_due.next_planned is 'The occurrence after this one waits already, so its completion must not plan it again';

create table scheduler_run (
  trigger_id   bigint not null,
  generation   int not null,
  fire_at      timestamptz not null,
  attempt      smallint not null,
  late_from    timestamptz,
  next_planned boolean not null,
  node_id      int not null,
  node_epoch   bigint not null,
  claimed_at   timestamptz not null default clock_timestamp(),
  started_at   timestamptz,
  primary key (trigger_id, generation, fire_at)
) with (fillfactor = 70, autovacuum_vacuum_cost_delay = 0);
create index scheduler_run_node on scheduler_run (node_id);
comment on table scheduler_run is 'What a node has claimed and not completed; a row of an old epoch completes nothing any more';

create table scheduler_firing (
  planned_at  timestamptz not null,
  trigger_id  bigint not null,
  generation  int not null,
  job_id      text collate "C" not null,
  outcome     text not null check (outcome in ('fired', 'late', 'misfired', 'skipped', 'recovered', 'lost', 'manual')),
  node        text not null,
  attempt     smallint not null default 1,
  claimed_at  timestamptz,
  started_at  timestamptz,
  ended_at    timestamptz not null default clock_timestamp(),
  late_ms     double precision,
  error       jsonb,
  log         jsonb,
  why         text,
  primary key (planned_at, trigger_id, generation)
) partition by range (planned_at);
create table scheduler_firing_other partition of scheduler_firing default;
create index scheduler_firing_job on scheduler_firing (job_id, planned_at desc);
comment on table scheduler_firing is 'The ledger: every planned time ends here exactly once. error is set when the job failed';

create function scheduler_firing_add_partitions() returns void language plpgsql as $$
declare
  month date := date_trunc('month', now() at time zone 'UTC')::date;
begin
  for n in 0..2 loop
    execute format(
      'create table if not exists scheduler_firing_%s partition of scheduler_firing for values from (%L) to (%L)',
      to_char(month, 'YYYY_MM'), month::text || 'T00:00:00Z', (month + interval '1 month')::date::text || 'T00:00:00Z');
    month := (month + interval '1 month')::date;
  end loop;
end $$;
select scheduler_firing_add_partitions();

create function svc_trigger_state_name(state int) returns text language sql immutable parallel safe
  return case state when 0 then 'NORMAL' when 1 then 'PAUSED' when 2 then 'COMPLETE'
                    when 3 then 'ERROR' when 4 then 'BLOCKED' else 'NONE' end;

-- The trigger record of the REST interface. State is derived, so it cannot be stuck.
create view svc_trigger as
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
                     where trigger_id = j.trigger_id and generation = j.generation) d on true
  left join lateral (select n.name as node, r.fire_at, r.started_at from scheduler_run r
                     join cluster_node n on n.id = r.node_id
                     where r.trigger_id = j.trigger_id order by r.fire_at desc limit 1) r on true
  cross join scheduler_setting s
  cross join lateral (select case
      when j.parked is not null then 3
      when r.node is not null and not coalesce((j.definition->>'concurrentExecution')::boolean, false) then 4
      when s.paused then 1
      when d.fire_at is null and r.node is null then 2
      else 0 end as state) t
  where coalesce((j.definition->>'enabled')::boolean, true);
comment on view svc_trigger is 'State of every trigger: 0 normal, 1 paused, 2 complete, 3 error, 4 blocked by its own run';

create view svc_firing as
  select planned_at, job_id as schedule, outcome, error is not null as failed, node, attempt, started_at, ended_at,
         round(late_ms::numeric, 1) as late_ms,
         round((extract(epoch from ended_at - started_at) * 1000)::numeric, 1) as took_ms, why, error, log
  from scheduler_firing;
comment on view svc_firing is 'What happened to each planned time, and on which node';

create view svc_schedule as
  select j.id as schedule,
         coalesce((j.definition->>'enabled')::boolean, true) as enabled,
         j.definition->>'type' as type, j.definition->>'schedule' as expression,
         j.definition->>'timeZone' as time_zone, j.definition->>'invokeService' as service, j.source,
         t.state_name as state, t.next_fire_at, t."nodeId" as running_on,
         last.planned_at as last_planned_at, last.outcome as last_outcome, last.error is not null as last_failed
  from scheduler_job j
  left join svc_trigger t on t.name = j.id
  left join lateral (select f.planned_at, f.outcome, f.error from scheduler_firing f
                     where f.job_id = j.id order by f.planned_at desc limit 1) last on true;
comment on view svc_schedule is 'Schedules with their next and last firing';
