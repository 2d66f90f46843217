-- compatible

-- How far what has changed in other systems was followed: one row for each type of objects that was asked for its changes.
create table sync_token (
  system         text collate "C" not null,
  object_type    text collate "C" not null,
  token          text,
  -- When it was stored.
  taken_at       timestamptz,
  -- The round that is under way; null when there is none.
  round          uuid,
  node           text,
  began_at       timestamptz,
  ended_at       timestamptz,
  -- Of the round, or of the last one.
  counts         jsonb not null default '{}',
  error          jsonb,
  -- Who has asked for it.
  security       jsonb,
  transaction_id text collate "C",
  -- What an order of all waits for, and how often that was tried.
  failing_id     text collate "C",
  failures       int not null default 0,
  rev            bigint not null default 0,
  primary key (system, object_type)
) with (fillfactor = 50);
comment on table sync_token is 'How far the changes of other systems were followed, and what came of the last round of that';

-- What was listed last of systems that do not tell what has changed, and what is listed by the round that is under way.
create table sync_listing (
  system      text collate "C" not null,
  object_type text collate "C" not null,
  id          text collate "C" not null,
  print       bytea not null,
  primary key (system, object_type, id)
);
comment on table sync_listing is 'Of each object that was followed: its id, and a hash of what it was';
create table sync_listing_next (
  system      text collate "C" not null,
  object_type text collate "C" not null,
  id          text collate "C" not null,
  print       bytea not null,
  primary key (system, object_type, id)
);
comment on table sync_listing_next is 'The same of a listing that is compared with it';

create table sync_dead_letter (
  id             uuid primary key,
  system         text collate "C" not null,
  object_type    text collate "C" not null,
  object_id      text collate "C",
  mapping        text collate "C",
  kind           text not null check (kind in ('failure', 'gap')),
  attempts       int not null default 0,
  error          jsonb not null,
  transaction_id text collate "C",
  at             timestamptz not null default clock_timestamp()
);
create index sync_dead_letter_at on sync_dead_letter (at);
create index sync_dead_letter_system on sync_dead_letter (system, at);
comment on table sync_dead_letter is 'Changes of other systems that were given up, and gaps in what they tell';

create view svc_sync_token as
  select system, object_type, token, taken_at, round is not null as is_under_way, node, began_at, ended_at,
         (counts->>'changes')::bigint as changes, (counts->>'failed')::bigint as failed, error->>'message' as error
  from sync_token;
comment on view svc_sync_token is 'How far the changes of each type of objects of other systems were followed';
comment on column svc_sync_token.token is 'A place in the changes of the other system; null: it was never asked';
comment on column svc_sync_token.taken_at is 'When the token was stored';
comment on column svc_sync_token.is_under_way is 'Whether a round is under way';
comment on column svc_sync_token.node is 'Which node works at it, or has at last';
comment on column svc_sync_token.changes is 'How many the round, or the last one, was told of';
comment on column svc_sync_token.failed is 'How many of them have failed; they are tried again one by one';
comment on column svc_sync_token.error is 'Why the last round ended early';

create view svc_sync_dead_letter as
  select id as letter_id, system, object_type, object_id, mapping, kind, attempts, error->>'message' as error, transaction_id, at
  from sync_dead_letter;
comment on view svc_sync_dead_letter is 'Changes of other systems that were given up: what /repo/synchronisation/deadLetterQueue shows';
comment on column svc_sync_dead_letter.kind is 'failure: it failed too often; gap: the system did not know any more what has changed';
comment on column svc_sync_dead_letter.attempts is 'How often it was tried';
