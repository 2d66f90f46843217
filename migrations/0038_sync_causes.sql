-- compatible

-- Whose change a delivery follows from: it is theirs also where it is done later.
alter table sync_outbox
  add column transaction_id text collate "C",
  add column security jsonb,
  -- Of a delivery of all: what takes something away comes last, and only when it is known how much that is.
  add column is_cautious boolean not null default false,
  add column is_held boolean not null default false;

create or replace view svc_sync_queue as
  select mapping, source_id,
         case when is_dead then 'dead' when is_held then 'held' when attempt > 0 then 'retrying' else 'waiting' end as state,
         attempt, due_at, error->>'message' as error, first_at, security->>'authenticationId' as user_id, transaction_id
  from sync_outbox;
comment on column svc_sync_queue.state is 'waiting for its turn, retrying after a failure, held because a delivery of all would take something away by it, or dead: given up until the source changes or somebody has it tried again';
comment on column svc_sync_queue.user_id is 'Who has made the change that it follows from';
comment on column svc_sync_queue.transaction_id is 'Of that change, as the audit has it';

drop index sync_outbox_due;
create index sync_outbox_due on sync_outbox (mapping, due_at) where not is_dead and not is_held;
create index sync_outbox_cautious on sync_outbox (mapping, is_held) where is_cautious;
create index sync_outbox_dead on sync_outbox (due_at) where is_dead;

-- Links are found also where the mapping has learned since then whether case counts.
create index sync_link_first_letters on sync_link (link_type, qualifier, lower(first_id));
create index sync_link_second_letters on sync_link (link_type, qualifier, lower(second_id));
