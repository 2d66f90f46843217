-- compatible

-- What synchronisation remembers: which target belongs to which source, and what came of the last delivery.
create table sync_link (
  id         text collate "C" primary key check (id <> ''),
  rev        bigint not null default 0,
  link_type  text collate "C" not null check (link_type <> ''),
  qualifier  text collate "C" not null default 'default' check (qualifier <> ''),
  first_id   text collate "C" not null check (first_id <> ''),
  second_id  text collate "C" not null check (second_id <> ''),
  -- As ids are compared: in lower case where the mapping says that case does not count.
  first_key  text collate "C" not null,
  second_key text collate "C" not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index sync_link_first on sync_link (link_type, qualifier, first_key);
create unique index sync_link_second on sync_link (link_type, qualifier, second_key);
comment on table sync_link is 'Pairs of source and target, of a mapping or of all that share its links';

create table sync_state (
  mapping        text collate "C" not null,
  qualifier      text collate "C" not null,
  source_id      text collate "C" not null,
  target_id      text collate "C",
  situation      text,
  action         text,
  outcome        text not null check (outcome in ('delivered', 'failed')),
  error          jsonb,
  assignments    jsonb,
  provenance     jsonb,
  source_rev     text,
  transaction_id text collate "C",
  delivered_at   timestamptz not null default clock_timestamp(),
  primary key (mapping, qualifier, source_id)
) with (fillfactor = 70);
create index sync_state_target on sync_state (mapping, target_id);
create index sync_state_failed on sync_state (mapping, delivered_at) where outcome = 'failed';
comment on table sync_state is 'One row for each source object of a mapping that has, or should have, a target';

create view svc_link as
  select id as link_id, link_type, qualifier, first_id, second_id, created_at, updated_at from sync_link;
comment on view svc_link is 'Which objects belong together by a mapping: what /repo/link shows';
comment on column svc_link.link_type is 'The mapping that has made it, or that shares its links with others';
comment on column svc_link.first_id is 'The source of the mapping that the links are named after';
comment on column svc_link.second_id is 'Its target';

create view svc_sync_state as
  select mapping, qualifier, source_id, target_id, situation, action, outcome, error->>'message' as error,
         provenance, source_rev, transaction_id, delivered_at
  from sync_state;
comment on view svc_sync_state is 'What came of the last delivery of each source object, by mapping';
comment on column svc_sync_state.situation is 'What was found out about source and target';
comment on column svc_sync_state.action is 'What was done about it';
comment on column svc_sync_state.provenance is 'By pointer into the target: which rule of the mapping has given it its value';
comment on column svc_sync_state.source_rev is 'The revision of the source that was delivered';
comment on column svc_sync_state.transaction_id is 'Of the request that caused it, as the audit has it';
comment on column svc_sync_state.delivered_at is 'When anything was done last; where all was as it should be, that stays as it is';
