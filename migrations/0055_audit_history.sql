-- compatible

-- What another server has recorded, before its people came here. It is no part of the trail, whose entries are signed by the node
-- that saw them happen: this is what the other server says.
create table audit_history (
  id             uuid primary key,
  topic          text not null check (topic in ('access', 'activity', 'authentication', 'config', 'recon', 'sync')),
  recorded_at    timestamptz not null check (recorded_at >= '0001-01-01T00:00:00Z' and recorded_at < '9999-01-01T00:00:00Z'),
  transaction_id text collate "C" not null,
  user_id        text,
  object_id      text,
  event          jsonb not null,
  source         text collate "C" not null
);
create index audit_history_object on audit_history (object_id, recorded_at) where object_id is not null;
create index audit_history_transaction on audit_history (transaction_id);
create index audit_history_user on audit_history (user_id, recorded_at);
create index audit_history_source on audit_history (source, topic);
comment on table audit_history is 'What svc import repository --audit has brought: read only, shown as /audit/imported';
comment on column audit_history.id is 'Of when and which it was, so that the same entry comes once';
comment on column audit_history.source is 'From where it has come';
