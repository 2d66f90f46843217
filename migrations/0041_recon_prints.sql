-- compatible

-- Pairs that were as they should be, where nothing but the two objects decides about that: as long as both are as they were, so is the pair.
create table recon_print (
  mapping    text collate "C" not null,
  qualifier  text collate "C" not null,
  source_id  text collate "C" not null,
  target_id  text collate "C" not null,
  action     text not null,
  source_rev bigint not null,
  target_rev bigint not null,
  -- An object that is made anew begins with the same revision.
  source_at  timestamptz not null,
  target_at  timestamptz not null,
  print      text not null,
  primary key (mapping, qualifier, source_id)
) with (fillfactor = 70);
comment on table recon_print is 'Linked pairs that a reconciliation has found as they should be, at which revisions: the next one need not look at them';
comment on column recon_print.print is 'Of the mapping and of both types: under others it says nothing';
