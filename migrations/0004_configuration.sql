-- compatible

-- Configurations that were changed through the REST interface. They stand in front of the files on every node.
create table config_override (
  id         text collate "C" primary key,
  -- Text and not jsonb: the order of keys has a meaning in some files. Null says that it was deleted.
  content    text,
  version    bigint generated always as identity,
  changed_at timestamptz not null default now(),
  changed_by text not null
);
comment on table config_override is 'Configurations changed through /config; content is their JSON text, null for a deleted one';
