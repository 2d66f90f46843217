-- compatible

-- What has come from the repository of another server: by it a second run knows what is new, one that was broken off goes
-- on, and all of it can be taken back.
create table import_item (
  kind        text collate "C" not null check (kind in ('managed', 'repo', 'relationship', 'link', 'schedule')),
  type        text collate "C" not null,
  id          text collate "C" not null check (id <> ''),
  foreign_rev text collate "C" not null,
  print       bytea not null,
  -- As it was written here: another one now means that it was changed here.
  rev         bigint not null,
  imported_at timestamptz not null default now(),
  primary key (kind, type, id)
);
comment on table import_item is 'What svc import repository has written; svc import finish forgets it';
comment on column import_item.type is 'Of managed and repo: the type of the object; empty of the others';
comment on column import_item.foreign_rev is 'The revision at the other server';
comment on column import_item.print is 'A hash of what was read there';

create view svc_import as
  select kind, type, count(*) as items, max(imported_at) as last_at from import_item group by kind, type;
comment on view svc_import is 'What has come from the repository of another server, until svc import finish';
comment on column svc_import.items is 'How many of them';
comment on column svc_import.last_at is 'When the last of them came, or came anew';
