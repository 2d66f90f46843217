-- compatible

-- Process instances come, too.
alter table import_item drop constraint import_item_kind_check;
alter table import_item add constraint import_item_kind_check
  check (kind in ('managed', 'repo', 'relationship', 'link', 'schedule', 'process')) not valid;
comment on column import_item.foreign_rev is 'The revision at the other server; of a process instance its id there';
