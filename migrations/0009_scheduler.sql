-- compatible

-- Definition and motion are separate: a firing never touches scheduler_job. What waits is a row of scheduler_due, what
-- runs is one of scheduler_run, what happened is one of scheduler_firing.

-- A pause is a promise: once it is answered, nothing planned starts (scheduler_pass_gate).
create table scheduler_setting (
  single     boolean primary key default true check (single),
  paused     boolean not null default false,
  pauses     bigint not null default 0,
  changed_at timestamptz
);
insert into scheduler_setting default values;
comment on table scheduler_setting is 'One row: paused stops all claims in the cluster';
comment on column scheduler_setting.pauses is 'Counts every pause, of all schedules or of one';
comment on column scheduler_setting.changed_at is 'When all were paused or resumed for the last time';

-- A schedule that is not persisted belongs to one life of one node: only that claims it, and it goes with it. Each
-- node may have one of the same id, as it does of a file.
--
-- Of the state before the last transition only that is noted here which cannot be read off the ledger: runs make most of
-- the transitions.
create table scheduler_job (
  trigger_id       bigint generated always as identity primary key,
  id               text collate "C" not null check (id <> ''),
  generation       int not null default 1,
  definition       jsonb not null,
  source           text not null check (source in ('rest', 'file')),
  content_hash     text not null,
  parked           jsonb,
  created_at       timestamptz not null default now(),
  updated_at       timestamptz not null default now(),
  paused           boolean not null default false,
  state_before     smallint,
  state_changed_at timestamptz,
  owner_id         int,
  owner_epoch      bigint,
  constraint scheduler_job_id_key unique nulls not distinct (id, owner_id),
  constraint scheduler_job_owner check ((owner_id is null) = (owner_epoch is null))
);
-- From time to time each node looks for schedules that ended while several of their runs did at once. Only these can
-- have several; without an index the look went through all schedules.
create index scheduler_job_ending on scheduler_job (trigger_id)
  where source = 'rest' and parked is null and (definition->>'concurrentExecution')::boolean;
create index scheduler_job_life on scheduler_job (owner_id, owner_epoch) where owner_id is not null;
comment on table scheduler_job is 'Schedules; generation counts the edits that change when it fires, parked says why it was stopped';
comment on column scheduler_job.paused is 'Paused by itself: what waits for it is due at infinity until it is resumed';
comment on column scheduler_job.state_before is
  'The state of the trigger before it was last paused, resumed, edited, parked or given up with its node';
comment on column scheduler_job.owner_id is 'The node that has it in memory; null for a persisted one';
comment on column scheduler_job.owner_epoch is 'The life of that node; when it is over, so is the schedule';

create table scheduler_removed (
  trigger_id bigint primary key,
  id         text collate "C" not null,
  with_node  boolean not null default false
);
comment on table scheduler_removed is 'Schedules that were deleted while they ran: the ledger names them when such a run is lost';
comment on column scheduler_removed.with_node is 'It was in the memory of a node and has gone with it';

-- What waits knows how it competes: higher priority first among those of one instant, whether it may run beside another
-- run of its schedule, and which schedules it excludes.
create table scheduler_due (
  due_at          timestamptz not null,
  fire_at         timestamptz not null,
  trigger_id      bigint not null,
  generation      int not null,
  attempt         smallint not null default 1,
  late_from       timestamptz,
  next_planned    boolean not null default false,
  priority        smallint not null default 5,
  concurrent      boolean not null default false,
  kind            text not null default 'planned' check (kind in ('planned', 'manual', 'lost')),
  cause           jsonb,
  concurrency_key text collate "C",
  owner_id        int,
  owner_epoch     bigint
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0,
        autovacuum_vacuum_insert_scale_factor = 0.1);
-- Claims walk what any node may have, and what is their own: never what is in the memory of others.
create index scheduler_due_time on scheduler_due (due_at, priority desc) where owner_id is null;
create index scheduler_due_own on scheduler_due (owner_id, owner_epoch, due_at, priority desc) where owner_id is not null;
create unique index scheduler_due_trigger on scheduler_due (trigger_id, generation, fire_at);
comment on table scheduler_due is 'What waits to fire';
comment on column scheduler_due.due_at is 'When it may be claimed; never in the past when written, so that claims can skip what lies behind';
comment on column scheduler_due.fire_at is 'The planned time, as the job is told';
comment on column scheduler_due.late_from is 'Lateness counts from here instead of fire_at: set when a dead node''s claim was released';
comment on column scheduler_due.next_planned is 'The occurrence after this one waits already, so its completion must not plan it again';
comment on column scheduler_due.kind is 'planned by the schedule, manual: asked for, lost: only to be recorded as lost';
comment on column scheduler_due.cause is 'Why it is late, if somebody knows: blocked by a run, or released by a node';
comment on column scheduler_due.concurrency_key is 'What excludes it from running beside other schedules; null for most';
comment on column scheduler_due.owner_id is 'The only node that may claim it, in that life of its; null for all nodes';

-- A schedule without concurrent execution has one slot, so that a second run of it cannot even be claimed; each run
-- of any other has a slot of its own. There is no index by node: runs under way are few and looked for by their node
-- only now and then, while each claim would pay for it.
create table scheduler_run (
  trigger_id      bigint not null,
  generation      int not null,
  fire_at         timestamptz not null,
  attempt         smallint not null,
  late_from       timestamptz,
  next_planned    boolean not null,
  node_id         int not null,
  node_epoch      bigint not null,
  claimed_at      timestamptz not null default clock_timestamp(),
  started_at      timestamptz,
  slot            bigint not null default floor(random() * 9e15),
  kind            text not null default 'planned',
  cause           jsonb,
  concurrency_key text collate "C",
  primary key (trigger_id, slot)
) with (fillfactor = 70, autovacuum_vacuum_cost_delay = 0);
-- Schedules of one concurrency key never run at once, however many nodes there are: of two claims the second finds
-- the key taken, and waits.
create unique index scheduler_run_concurrency_key on scheduler_run (concurrency_key) where concurrency_key is not null;
comment on table scheduler_run is 'What a node has claimed and not completed; a row of an old epoch completes nothing any more';
comment on column scheduler_run.slot is '0 for the only run of a schedule without concurrent execution';
comment on column scheduler_run.concurrency_key is 'Taken as long as it runs, for all schedules that have the same';

-- The ledger, by month.
create table scheduler_firing (
  planned_at timestamptz not null,
  trigger_id bigint not null,
  generation int not null,
  job_id     text collate "C" not null,
  outcome    text not null check (outcome in ('fired', 'late', 'misfired', 'skipped', 'recovered', 'lost', 'manual')),
  node       text not null,
  attempt    smallint not null default 1,
  claimed_at timestamptz,
  started_at timestamptz,
  ended_at   timestamptz not null default clock_timestamp(),
  late_ms    double precision,
  error      jsonb,
  log        jsonb,
  why        text,
  primary key (planned_at, trigger_id, generation)
) partition by range (planned_at);
create table scheduler_firing_other partition of scheduler_firing default;
create index scheduler_firing_job on scheduler_firing (job_id, planned_at desc);
comment on table scheduler_firing is 'The ledger: every planned time ends here exactly once. error is set when the job failed';

create function scheduler_firing_add_partitions() returns void
  language sql begin atomic select months_add('scheduler_firing', 'planned_at'); end;
comment on function scheduler_firing_add_partitions is 'Makes the partitions of this month and the next two';

create function scheduler_firing_prune(keep interval) returns int
  language sql begin atomic select months_drop('scheduler_firing', 'ended_at', keep); end;
comment on function scheduler_firing_prune is 'Drops the months of the ledger that are older than is kept';

select scheduler_firing_add_partitions();

-- The statement that starts runs may have seen the schedules as they were before a pause. So it passes a gate: it holds
-- a shared lock until its end, under which it asks again, and whoever pauses waits for that lock after the commit, and
-- only then answers. Volatile, so that it sees what was committed after the statement began that calls it.
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

-- What a schedule shows before and after a change to it; -1 where it has no trigger.
create function scheduler_state_of(trigger_id bigint) returns table (state int, previous_state int)
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
              else jsonb_build_array(
                case when j.owner_id is null then jsonb_build_object('_id', t._id, '_rev', j.generation::text) else '{}' end
                || jsonb_build_object('serialized', t.serialized, 'name', t.name, 'group', t."group",
                                      'previous_state', t.previous_state, 'state', t.state,
                                      'acquired', t.acquired, 'nodeId', t."nodeId"))
         end as triggers,
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

create view svc_firing as
  select planned_at, job_id as schedule, outcome, error is not null as failed, node, attempt, started_at, ended_at,
         round(late_ms::numeric, 1) as late_ms,
         round((extract(epoch from ended_at - started_at) * 1000)::numeric, 1) as took_ms, why, error, log, claimed_at,
         trigger_id
  from scheduler_firing;
comment on view svc_firing is
  'What happened to each planned time, and on which node. trigger_id tells apart schedules of the same id, as in svc_schedule';
