-- compatible

-- What happened, by topic: who came in (access, authentication), what was changed (activity, config). By month. Entries
-- are signed by the node that writes them, and sealed in chains, so that it is found when one is changed, deleted or put
-- in behind the server's back; keys are not in the database. What no node writes is refused, whoever comes with it: rows
-- that cannot be held, or after which no other could come.
create table audit_event (
  id             uuid not null,
  topic          text not null check (topic in ('access', 'activity', 'authentication', 'config', 'recon', 'sync')),
  recorded_at    timestamptz not null default clock_timestamp(),
  transaction_id text collate "C" not null,
  user_id        text,
  object_id      text,
  event          jsonb not null,
  node           text,
  signature      text,
  constraint audit_event_is_sound check (
    recorded_at >= '0001-01-01T00:00:00Z' and recorded_at < '9999-01-01T00:00:00Z'
    and char_length(transaction_id) <= 4000 and coalesce(char_length(user_id), 0) <= 4000
    and coalesce(char_length(object_id), 0) <= 4000
    and coalesce(octet_length(node), 0) <= 400 and coalesce(octet_length(signature), 0) <= 400
    and jsonb_typeof(event) = 'object' and pg_column_size(event) <= 33554432)
) partition by range (recorded_at);
create table audit_event_other partition of audit_event default;
create index audit_event_id on audit_event (topic, id);
create index audit_event_object on audit_event (object_id, recorded_at) where object_id is not null;
-- All that a request caused begins with its id, so the index serves beginnings, in psql as in the filters of the REST
-- interface.
create index audit_event_transaction on audit_event (transaction_id);
create index audit_event_user on audit_event (user_id, recorded_at);
comment on table audit_event is 'The audit trail; ids grow with time, and everything that one request caused has its transaction_id';
comment on column audit_event.event is 'The entry as /audit/<topic> shows it, without _id; secrets are left out';
comment on column audit_event.transaction_id is
  'Of the request or run, with /n for each request on the way down to the one that did this: all of it has transaction_id ^@ ''<id>''';
comment on column audit_event.node is 'Which node wrote it';
comment on column audit_event.signature is
  'Key id and HMAC over the entry; null of entries by nodes of a version that signed none';

create table audit_unsealed (
  id          uuid not null,
  recorded_at timestamptz not null,
  node        text,
  signature   text,
  stored_at   timestamptz not null default clock_timestamp(),
  constraint audit_unsealed_is_sound check (
    recorded_at >= '0001-01-01T00:00:00Z' and recorded_at < '9999-01-01T00:00:00Z'
    and coalesce(octet_length(node), 0) <= 400 and coalesce(octet_length(signature), 0) <= 400)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
comment on table audit_unsealed is
  'Entries that wait for their seal, about a second: a row is there exactly if its entry was committed and is in no seal';

-- In the transaction that writes the entry, whoever writes it: commits need to know nothing of one another.
create function audit_event_await_seal() returns trigger language plpgsql as $$
begin
  insert into audit_unsealed (id, recorded_at, node, signature) select id, recorded_at, node, signature from entry;
  return null;
end $$;
create trigger await_seal after insert on audit_event referencing new table as entry
  for each statement execute function audit_event_await_seal();

create table audit_seal (
  number    bigint not null,
  month     timestamptz not null,
  node      text not null,
  part      int not null,
  sealed_at timestamptz not null,
  ids       uuid[] not null,
  previous  text not null,
  digest    text not null,
  signature text not null,
  unique (month, node, part),
  constraint audit_seal_is_sound check (
    number between 1 and 9007199254740991 and part > 0
    and month >= '0001-01-01T00:00:00Z' and month < '9999-01-01T00:00:00Z'
    and sealed_at >= '0001-01-01T00:00:00Z' and sealed_at < '9999-01-01T00:00:00Z'
    and cardinality(ids) <= 1000 and coalesce(array_ndims(ids), 1) = 1 and coalesce(array_lower(ids, 1), 1) = 1
    and array_position(ids, null) is null
    and octet_length(node) <= 400 and octet_length(previous) <= 400 and octet_length(digest) <= 400
    and octet_length(signature) <= 400)
) partition by range (month);
create table audit_seal_other partition of audit_seal default;
create index audit_seal_number on audit_seal (number);
create index audit_seal_time on audit_seal (sealed_at);
comment on table audit_seal is
  'Seals over entries of the audit trail, in chains by node and month: each holds the signature of the one before it';
comment on column audit_seal.number is 'Of all seals, without gaps; what was pruned is in an entry about config/audit';
comment on column audit_seal.part is 'Within the chain, from 1';
comment on column audit_seal.ids is 'The entries, in the order in which they are chained';
comment on column audit_seal.digest is 'The last hash of the chain: of the previous signature, and then of each entry with the hash before it';

create function audit_event_add_partitions() returns void
  language sql begin atomic select months_add('audit_event', 'recorded_at'), months_add('audit_seal', 'month'); end;
comment on function audit_event_add_partitions is 'Makes the partitions of this month and the next two';
select audit_event_add_partitions();

-- Here and not in the configuration, which those may change whom the trail tells of.
create function audit_keep_at_least() returns interval language sql immutable begin atomic select interval '90 days'; end;
comment on function audit_keep_at_least is 'What is younger is never pruned, whatever audit.json says';

create function audit_prune(keep interval) returns jsonb language plpgsql as $$
declare
  kept    timestamptz := date_trunc('month', (now() - greatest(keep, audit_keep_at_least())) at time zone 'UTC') at time zone 'UTC';
  -- The next seal counts on from the last one, so that one stays.
  latest  timestamptz := (select month from audit_seal order by number desc limit 1);
  old     record;
  counted bigint;
  dropped jsonb := '[]';
begin
  perform pg_advisory_xact_lock(hashtext('audit_event partitions'));
  for old in
    select c.relname, to_date(right(c.relname, 7), 'YYYY_MM') as month
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'audit_event'::regclass and c.relname ~ '^audit_event_\d{4}_\d\d$'
      and to_date(right(c.relname, 7), 'YYYY_MM')::timestamp at time zone 'UTC' < kept
      and to_date(right(c.relname, 7), 'YYYY_MM')::timestamp at time zone 'UTC' is distinct from latest
    order by 2
  loop
    execute format('select count(*) from %I', old.relname) into counted;
    dropped := dropped || (
      select jsonb_build_object('month', to_char(old.month, 'YYYY-MM'), 'entries', counted, 'seals', count(*),
               'heads', coalesce(jsonb_agg(jsonb_build_object('node', node, 'part', part, 'number', number,
                                                              'signature', signature)) filter (where is_head), '[]'))
      from (select s.*, part = max(part) over (partition by node) as is_head from audit_seal s
            where month = old.month::timestamp at time zone 'UTC') s);
    execute format('drop table %I', old.relname);
    if to_regclass('audit_seal_' || right(old.relname, 7)) is not null then
      execute format('drop table %I', 'audit_seal_' || right(old.relname, 7));
    end if;
  end loop;
  return dropped;
end $$;
comment on function audit_prune is
  'Drops the months of the audit trail and of its seals that are older than is kept, and answers with what they were';

create view svc_audit as
  select recorded_at, topic, user_id as "user", object_id as object, event->>'operation' as operation,
         coalesce(event->>'status', event->'response'->>'status', event->>'result') as status, transaction_id, event,
         node, coalesce(event->'handMade' = 'true', false) as hand_made
  from audit_event;
comment on view svc_audit is 'The audit trail: who did what to what, and what came of it';
