-- compatible

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
