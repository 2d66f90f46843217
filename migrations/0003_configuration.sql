-- compatible

-- Configurations that were changed through the REST interface. They stand in front of the files on every node. The
-- content is text and not jsonb: the order of keys has a meaning in some files.
create table config_override (
  id         text collate "C" primary key,
  content    text,
  version    bigint generated always as identity,
  changed_at timestamptz not null default now(),
  changed_by text not null,
  sealed     text[]
);
comment on table config_override is 'Configurations changed through /config; content is their JSON text, null for a deleted one';
-- Secrets of any configuration are encrypted here. Nodes open them when they read the row, so that nothing else need know.
comment on column config_override.sealed is 'Pointers to what is encrypted in the content for this table alone; null where nothing is';
