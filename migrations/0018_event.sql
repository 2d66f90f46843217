-- compatible

-- What has changed, by its names, for streams of events. It is written only while somebody listens, beside the transactions
-- that it tells of, in the order of its ids; the last two thousand rows are kept.
create table event_batch (
  id     bigint generated always as identity primary key,
  at     timestamptz not null default clock_timestamp(),
  node   text not null,
  is_gap boolean not null default false,
  events jsonb not null
);
comment on table event_batch is 'Names of what has changed, as streams of events tell them; is_gap: something before it may not have been told';

-- Nodes tell while any node has listeners; a stream begins when all of them do.
alter table cluster_node
  add column listens boolean not null default false,
  add column tells boolean not null default false;
comment on column cluster_node.listens is 'Clients of the node listen to events';
comment on column cluster_node.tells is 'The node knows that somebody listens, and writes down what changes';
