-- compatible

alter table workflow_state
  add column suspended_at timestamptz,
  add column suspended_by text;
comment on column workflow_state.suspended_at is 'Of the root of a tree: since when nothing of the tree runs; null when it goes on';

-- "suspended" says that the file is gone; instances go on then.
alter table workflow_definition
  add column stopped_at timestamptz,
  add column stopped_by text;
comment on column workflow_definition.stopped_at is 'Since when nobody starts it and none of its instances runs; null when they do';
