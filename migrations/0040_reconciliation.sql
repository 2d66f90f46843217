-- compatible

-- A reconciliation is a plan: what a mapping has to do about each object of both sides, one row each, until it is done.
create table recon_run (
  id             uuid primary key,
  mapping        text collate "C" not null,
  -- Of the mapping as it is written: what was planned by another one is not done.
  print          text not null,
  mode           text not null check (mode in ('apply', 'plan')),
  state          text not null check (state in ('ACTIVE', 'SUCCESS', 'CANCELED', 'FAILED')),
  step           text not null default 'list' check (step in ('list', 'source', 'target', 'apply', 'remove', 'end')),
  parameters     jsonb not null,
  firing         text unique,
  security       jsonb,
  transaction_id text collate "C",
  -- How many there are on both sides, and pairs of them; null until that is known.
  sources        bigint,
  targets        bigint,
  links          bigint,
  lanes          int not null default 0,
  last_lane      int not null default 0,
  last_entry     bigint not null default 0,
  -- What has come of the entries, as it was at the end.
  outcomes       jsonb,
  error          jsonb,
  created_at     timestamptz not null default clock_timestamp(),
  started_at     timestamptz,
  listed_at      timestamptz,
  targets_at     timestamptz,
  ended_at       timestamptz
) with (fillfactor = 50);
create unique index recon_run_active on recon_run (mapping) where state = 'ACTIVE';
create index recon_run_ended on recon_run (ended_at) where ended_at is not null;
comment on table recon_run is 'One comparison of both sides of a mapping';
comment on column recon_run.step is 'What is under way: both sides are listed; sources are looked at, then targets that none has led to; what was approved is done; what takes something away is done';
comment on column recon_run.firing is 'The firing that started it, so that one that is run again finds its reconciliation';
comment on column recon_run.lanes is 'Jobs of it that are there: each works on one chunk after the other';

-- What a side has, where it is not a table of this database.
create table recon_object (
  run_id uuid not null references recon_run (id) on delete cascade,
  side   text not null check (side in ('source', 'target')),
  id     text collate "C" not null,
  primary key (run_id, side, id)
);
comment on table recon_object is 'Ids of one side of a reconciliation that is under way, where they had to be asked for';

create table recon_entry (
  run_id     uuid not null references recon_run (id) on delete cascade,
  number     bigint not null,
  phase      text not null check (phase in ('source', 'target')),
  qualifier  text collate "C" not null,
  source_id  text collate "C",
  target_id  text collate "C",
  ambiguous  jsonb,
  situation  text,
  action     text,
  state      text not null default 'listed' check (state in ('listed', 'planned', 'applied', 'failed', 'skipped', 'changed', 'counted')),
  takes_away boolean not null default false,
  difference jsonb,
  source_rev text,
  target_rev text,
  error      jsonb,
  attempt    int not null default 0,
  done_at    timestamptz,
  primary key (run_id, number)
) with (fillfactor = 70, autovacuum_vacuum_cost_delay = 0);
create index recon_entry_open on recon_entry (run_id, number) where state in ('listed', 'planned');
comment on table recon_entry is 'What a reconciliation has found out about a pair, what it does about it, and what came of that; pairs that were as they should be are only counted';
comment on column recon_entry.attempt is 'How often it was begun, where something may have ended its thread or node';

create table recon_count (
  run_id    uuid not null references recon_run (id) on delete cascade,
  phase     text not null,
  situation text not null,
  action    text not null,
  entries   bigint not null,
  primary key (run_id, phase, situation, action)
);
comment on table recon_count is 'Entries that are counted only, because there was nothing to be done about them';

create table recon_chunk (
  run_id uuid not null references recon_run (id) on delete cascade,
  number int not null,
  low    bigint not null,
  high   bigint not null,
  lane   int,
  primary key (run_id, number)
) with (fillfactor = 50, autovacuum_vacuum_cost_delay = 0);
comment on table recon_chunk is 'Entries, by their numbers, that one lane works on; removed when they are done';

create view svc_recon_run as
  select r.id as run_id, r.mapping, r.mode, r.state, r.step, r.sources, r.targets, r.links,
         case when r.state = 'ACTIVE' then e.listed end as open, e.planned, e.applied, e.failed, e.skipped, e.changed,
         e.counted + coalesce(c.counted, 0) as counted, r.security->>'authenticationId' as user_id, r.transaction_id,
         r.error->>'message' as error, r.created_at, r.started_at, r.ended_at
  from recon_run r
  cross join lateral (select count(*) filter (where state = 'listed') as listed,
                             count(*) filter (where state = 'planned') as planned,
                             count(*) filter (where state = 'applied') as applied,
                             count(*) filter (where state = 'failed') as failed,
                             count(*) filter (where state = 'skipped') as skipped,
                             count(*) filter (where state = 'changed') as changed,
                             count(*) filter (where state = 'counted') as counted
                      from recon_entry where run_id = r.id) e
  left join lateral (select sum(entries)::bigint as counted from recon_count where run_id = r.id) c on true;
comment on view svc_recon_run is 'Reconciliations: how far they are, and what has come of their entries';
comment on column svc_recon_run.mode is 'apply: what is found is done; plan: it is written down, and done when somebody approves it';
comment on column svc_recon_run.open is 'Entries that are still to be looked at';
comment on column svc_recon_run.planned is 'Entries that wait: for an approval, or for the end of the others because they take something away';
comment on column svc_recon_run.changed is 'Entries that were not done, because source or target were other than planned by then';
comment on column svc_recon_run.counted is 'Pairs that were as they should be';
comment on column svc_recon_run.user_id is 'In whose name it was done';

create view svc_recon_entry as
  select run_id, number, phase, qualifier, source_id, target_id, ambiguous, situation, action, state, takes_away, difference,
         error->>'message' as error, done_at
  from recon_entry where state <> 'counted';
comment on view svc_recon_entry is 'What reconciliations have found and done, pair by pair: what /recon/<id>/entry shows';
comment on column svc_recon_entry.phase is 'source, or target for what no source has led to';
comment on column svc_recon_entry.state is 'listed: still to be looked at; planned: waits; applied; failed; skipped: there was nothing to do but to report it; changed: it was other than planned, and was left';
comment on column svc_recon_entry.difference is 'Pointers of what is written of the target';
