-- compatible

create table scan_run (
  id             uuid primary key,
  name           text,
  firing         text unique,
  state          text not null check (state in ('INITIALIZED', 'ACTIVE', 'COMPLETED', 'CANCELLED', 'ERROR')),
  definition     jsonb not null,
  security       jsonb not null,
  cookie         text,
  paged          boolean not null default false,
  total          bigint not null default 0,
  successes      bigint not null default 0,
  failures       bigint not null default 0,
  skipped        bigint not null default 0,
  lanes          int not null default 0,
  last_lane      int not null default 0,
  last_slice     int not null default 0,
  error          jsonb,
  created_at     timestamptz not null default clock_timestamp(),
  started_at     timestamptz,
  ended_at       timestamptz,
  transaction_id text
) with (fillfactor = 50);
create index scan_run_ended on scan_run (ended_at) where ended_at is not null;
comment on table scan_run is 'One run of the task scanner. Its counts hold what is in no slice any more';
comment on column scan_run.firing is 'The firing that started it, so that a firing that is run again finds its scan';
comment on column scan_run.cookie is 'Where the next page of the query begins; paged: there is none';
comment on column scan_run.lanes is 'Jobs of it that are there; each works on one slice after the other, so they bound how many objects are processed at once';
comment on column scan_run.transaction_id is 'Of the request or firing that started it: the audit has all that it does under this; null of old runs, which have their own id';

create table scan_slice (
  run_id        uuid not null references scan_run (id) on delete cascade,
  number        int not null,
  objects       jsonb not null,
  lane          int,
  taken         int not null default 0,
  position      int not null default 0,
  last_position int not null default -1,
  stuck         int not null default 0,
  successes     int not null default 0,
  failures      int not null default 0,
  skipped       int not null default 0,
  primary key (run_id, number)
) with (fillfactor = 50, autovacuum_vacuum_cost_delay = 0);
create index scan_slice_free on scan_slice (run_id, number) where lane is null;
create index scan_slice_lane on scan_slice (run_id, lane) where lane is not null;
comment on table scan_slice is 'Some objects of a run, as [id, revision, start of processing] when they were found; removed when they are all done';
comment on column scan_slice.taken is 'How often it was taken. Who took it before moves it no further: what it still stores is rolled back';
comment on column scan_slice.position is 'How many of its objects are done; it moves in the transaction that processes an object';
comment on column scan_slice.stuck is 'How often it was taken and not moved, because processing the object ended its thread or node';

create table scan_error (
  run_id    uuid not null references scan_run (id) on delete cascade,
  object    text not null,
  error     jsonb not null,
  failed_at timestamptz not null default clock_timestamp()
);
create index scan_error_run on scan_error (run_id);
comment on table scan_error is 'The first objects that failed in a run, and why';

create view svc_scan_run as
  select r.id, r.name as schedule, r.definition->>'object' as object, r.state,
         case when r.paged then r.total else greatest(r.total, d.done) end as total,
         d.successes + d.failures as processed, d.successes, d.failures, d.skipped,
         case when r.paged and r.total > 0 then round(100.0 * d.done / r.total, 1) end as percent,
         case when r.state = 'ACTIVE' and r.paged and d.done > 0
              then clock_timestamp() + (clock_timestamp() - r.started_at) * ((r.total - d.done)::float8 / d.done)
         end as estimate,
         n.nodes, r.created_at, r.started_at, r.ended_at, r.error,
         (select json_agg(json_build_object('objectID', e.object, 'error', e.error) order by e.failed_at)
          from scan_error e where e.run_id = r.id) as errors
  from scan_run r
  cross join lateral (select r.successes + coalesce(sum(s.successes), 0)::bigint as successes,
                             r.failures + coalesce(sum(s.failures), 0)::bigint as failures,
                             r.skipped + coalesce(sum(s.skipped), 0)::bigint as skipped,
                             r.successes + r.failures + r.skipped + coalesce(sum(s.position), 0)::bigint as done
                      from scan_slice s where s.run_id = r.id and s.lane is not null) d
  left join lateral (select json_agg(distinct n.name) as nodes
                     from work_job j join cluster_node n on n.id = j.node_id
                     where j.node_id is not null and j.queue in ('scan-page', 'scan-slice')
                       and j.data->>'run' = r.id::text) n on true;
comment on view svc_scan_run is 'Runs of the task scanner: how far they are, when they will probably end, which nodes work on them now';
