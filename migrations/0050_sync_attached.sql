-- compatible

-- Deliveries to other systems that are a part of a unit of work which has not ended: a row is written before the first call, whatever
-- becomes of the unit of work, and goes with its commit. One that stays is of a unit of work that was rolled back, or has died.
create table sync_attached (
  mapping   text collate "C" not null,
  source_id text collate "C" not null,
  since     timestamptz not null default clock_timestamp(),
  primary key (mapping, source_id)
) with (autovacuum_vacuum_cost_delay = 0);
comment on table sync_attached is 'Source objects whose targets in other systems are written by units of work that have not ended, or were rolled back';

-- Of a target that was made: by which id it is known there, as soon as that is known here.
alter table sync_outside add column made_id text;

create view svc_sync_attached as
  select mapping, source_id, since from sync_attached;
comment on view svc_sync_attached is 'Deliveries by mappings with "delivery": "attached" that are under way, or whose change was not stored: these are delivered anew within seconds, from what is stored';
comment on column svc_sync_attached.since is 'When the other system was first asked';
