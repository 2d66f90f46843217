-- compatible

-- What is known of a target in another system, and of what it is being asked.
create table sync_outside (
  mapping   text collate "C" not null,
  qualifier text collate "C" not null,
  source_id text collate "C" not null,
  -- What was about to be done when it was asked, and nobody knows yet whether it was.
  intent    text check (intent in ('create', 'delete')),
  -- By name of a property that cannot be read back: a hash of what was written last.
  secrets   jsonb not null default '{}',
  since     timestamptz not null default clock_timestamp(),
  primary key (mapping, qualifier, source_id)
);
comment on table sync_outside is 'Of each target in another system: what it is being asked, and hashes of what it cannot be asked';

create view svc_sync_intent as
  select mapping, qualifier, source_id, intent, since from sync_outside where intent is not null;
comment on view svc_sync_intent is 'What other systems were asked, and nobody knows yet whether they have done it: the next delivery finds out';
comment on column svc_sync_intent.intent is 'create or delete';
comment on column svc_sync_intent.since is 'When they were asked';
