-- compatible

-- Secrets of any configuration are encrypted here. Nodes open them when they read the row, so that nothing else need know.
alter table config_override add column sealed text[];
comment on column config_override.sealed is 'Pointers to what is encrypted in the content for this table alone; null where nothing is';
