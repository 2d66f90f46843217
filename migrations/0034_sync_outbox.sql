-- compatible

-- Deliveries that are still to be done: at most one row for each mapping and source object, whatever has happened to it.
create sequence sync_generation;
create table sync_outbox (
  mapping    text collate "C" not null,
  source_id  text collate "C" not null,
  -- A row that comes back is another one.
  generation bigint not null default nextval('sync_generation'),
  -- What the source was, encrypted, where it is gone.
  old_value  jsonb,
  attempt    int not null default 0 check (attempt >= 0),
  due_at     timestamptz not null default clock_timestamp(),
  is_dead    boolean not null default false,
  error      jsonb,
  first_at   timestamptz not null default clock_timestamp(),
  primary key (mapping, source_id)
) with (fillfactor = 70, autovacuum_vacuum_cost_delay = 0);
alter sequence sync_generation owned by sync_outbox.generation;
create index sync_outbox_due on sync_outbox (mapping, due_at) where not is_dead;
comment on table sync_outbox is 'Deliveries that have failed and are tried again, that wait for their turn, or that were given up';

create view svc_sync_queue as
  select mapping, source_id, case when is_dead then 'dead' when attempt > 0 then 'retrying' else 'waiting' end as state,
         attempt, due_at, error->>'message' as error, first_at
  from sync_outbox;
comment on view svc_sync_queue is 'Deliveries that are still to be done, by mapping and source object: what /sync/queue shows';
comment on column svc_sync_queue.state is 'waiting for its turn, retrying after a failure, or dead: given up until the source changes or somebody has it tried again';
comment on column svc_sync_queue.attempt is 'How often it has failed';
