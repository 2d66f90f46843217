-- compatible

-- What comes from one place is told from what comes from another, so that what is gone at one of them takes nothing away of the others.
alter table import_item add column source text collate "C" not null default '';
comment on column import_item.source is 'From where it has come; empty of what came before this was noted';

drop view svc_import;
create view svc_import as
  select source, kind, type, count(*) as items, max(imported_at) as last_at
  from import_item group by source, kind, type;
comment on view svc_import is 'What has come from other servers and files, until svc import finish';
comment on column svc_import.source is 'From where';
comment on column svc_import.items is 'How many of them';
comment on column svc_import.last_at is 'When the last of them came, or came anew';
