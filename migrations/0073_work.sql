-- breaking: jobs of queues are in tables of their own

create table work_queue (
  name text collate "C" primary key
);
comment on table work_queue is 'The queues that some node has a handler for';

-- One row from the enqueuing to the end: a claim writes into it whose it is, the completion deletes it.
create table work_job (
  id             uuid primary key,
  queue          text collate "C" not null,
  data           jsonb not null,
  due_at         timestamptz not null,
  priority       smallint not null default 0 check (priority >= 0),
  attempt        int not null default 1,
  attempts       int not null check (attempt <= attempts),
  retry_delay_ms float8 not null check (retry_delay_ms >= 0),
  lost_with      text[] not null default '{}',
  suspected      smallint not null default 0,
  claim          int not null default 0,
  node_id        int,
  node_epoch     bigint,
  waits          boolean not null default false,
  created_at     timestamptz not null default clock_timestamp(),
  check ((node_id is null) = (node_epoch is null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index work_job_due on work_job (queue, due_at) where node_id is null;
-- Empty as long as nobody asks for a priority.
create index work_job_urgent on work_job (queue, priority desc, due_at) where node_id is null and priority > 0;
create index work_job_node on work_job (node_id) where node_id is not null;
comment on table work_job is 'Jobs of queues that are not done. One without a node waits; it is done exactly if its row is gone';
comment on column work_job.due_at is 'Never in the past when it is written: a claim looks only a little behind what the one before has seen';
comment on column work_job.claim is 'How often it was claimed. Who claimed it before the last time can do nothing with it any more';
comment on column work_job.waits is 'A suspect that is still to be tried: the end of its node says nothing about it';
comment on column work_job.lost_with is 'Nodes and threads that ended while they ran it';
comment on column work_job.suspected is 'How often it may have been why they ended';

create table work_dead_letter (
  id             uuid primary key,
  queue          text collate "C" not null,
  job_id         uuid not null,
  data           jsonb not null,
  priority       smallint not null default 0,
  attempts       int not null,
  retry_delay_ms float8 not null,
  tried          int not null,
  error          jsonb not null,
  created_at     timestamptz not null,
  died_at        timestamptz not null default clock_timestamp()
);
create index work_dead_letter_died on work_dead_letter (died_at);
comment on table work_dead_letter is 'Jobs that failed for good, until somebody deals with them or a year has passed';

-- A database may still hold jobs in the tables of pg-boss.
do $$
begin
  if to_regnamespace('svc_pgboss') is null then return; end if;
  insert into work_queue select name from svc_pgboss.queue where name <> 'dead-letter';
  insert into work_job (id, queue, data, due_at, attempt, attempts, retry_delay_ms, created_at)
    select id, name, data, greatest(start_after, clock_timestamp()),
           least(retry_count + 1 + (state = 'retry' and started_on is not null)::int, retry_limit + 1), retry_limit + 1,
           retry_delay * 1000.0, created_on
    from svc_pgboss.job where name <> 'dead-letter' and state in ('created', 'retry', 'active');
  insert into work_dead_letter (id, queue, job_id, data, attempts, retry_delay_ms, tried, error, created_at, died_at)
    select id, source_name, source_id, data, source_retry_count + 1, 10000, source_retry_count + 1,
           coalesce(source_output, '{}'), source_created_on, created_on
    from svc_pgboss.job where name = 'dead-letter' and state = 'created';
end $$;

drop view if exists svc_queue, svc_dead_letter;

create view svc_queue as
  select q.name as queue,
         coalesce(j.ready, 0) as ready,
         coalesce(j.deferred, 0) as deferred,
         coalesce(j.active, 0) as active,
         coalesce(j.retrying, 0) as retrying,
         coalesce(d.dead, 0) as dead,
         j.oldest_ready_at,
         j.next_due_at,
         (select json_agg(distinct n.name) from work_job c join cluster_node n on n.id = c.node_id
          where c.queue = q.name and c.node_id is not null) as nodes
  from work_queue q
  left join (select queue as name,
                    count(*) filter (where node_id is null and due_at <= clock_timestamp()) as ready,
                    count(*) filter (where due_at > clock_timestamp()) as deferred,
                    count(*) filter (where node_id is not null and due_at <= clock_timestamp()) as active,
                    count(*) filter (where node_id is null and attempt > 1) as retrying,
                    min(due_at) filter (where node_id is null and due_at <= clock_timestamp()) as oldest_ready_at,
                    min(due_at) filter (where due_at > clock_timestamp()) as next_due_at
             from work_job group by queue) j using (name)
  left join (select queue as name, count(*) as dead from work_dead_letter group by queue) d using (name);
comment on view svc_queue is 'How many jobs of each queue wait, run and have died, and which nodes work on them';

create view svc_dead_letter as
  select id as dead_letter, queue, job_id as job, died_at, tried as attempts, error->>'message' as error,
         error as detail, data, created_at
  from work_dead_letter
  order by died_at;
comment on view svc_dead_letter is 'Jobs that failed for good, with their last error';

create or replace view svc_scan_run as
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

drop table if exists queue_claim;
drop schema if exists svc_pgboss cascade;
