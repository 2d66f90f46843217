-- compatible

-- What happened, by topic: who came in (access, authentication), what was changed (activity, config). By month.
create table audit_event (
  id             uuid not null,
  topic          text not null check (topic in ('access', 'activity', 'authentication', 'config', 'recon', 'sync')),
  recorded_at    timestamptz not null default clock_timestamp(),
  transaction_id text not null,
  user_id        text,
  object_id      text,
  event          jsonb not null
) partition by range (recorded_at);
create table audit_event_other partition of audit_event default;
create index audit_event_id on audit_event (topic, id);
create index audit_event_object on audit_event (object_id, recorded_at) where object_id is not null;
create index audit_event_transaction on audit_event (transaction_id);
create index audit_event_user on audit_event (user_id, recorded_at);
comment on table audit_event is 'The audit trail; ids grow with time, and everything that one request caused has its transaction_id';
comment on column audit_event.event is 'The entry as /audit/<topic> shows it, without _id; secrets are left out';

create function audit_event_add_partitions() returns void language plpgsql as $$
declare
  month date := date_trunc('month', now() at time zone 'UTC')::date;
  low   text;
  high  text;
  name  text;
begin
  perform pg_advisory_xact_lock(hashtext('audit_event partitions'));
  for n in 0..2 loop
    name := 'audit_event_' || to_char(month, 'YYYY_MM');
    low := month::text || 'T00:00:00Z';
    high := (month + interval '1 month')::date::text || 'T00:00:00Z';
    if to_regclass(name) is null then
      execute format('create table %I (like audit_event including defaults including constraints)', name);
      execute format('with moved as (delete from audit_event_other where recorded_at >= %L and recorded_at < %L
                                     returning *) insert into %I select * from moved', low, high, name);
      execute format('alter table audit_event attach partition %I for values from (%L) to (%L)', name, low, high);
    end if;
    month := (month + interval '1 month')::date;
  end loop;
end $$;
comment on function audit_event_add_partitions is 'Makes the partitions of this month and the next two';

create function audit_event_prune(keep interval) returns int language plpgsql as $$
declare
  part    record;
  dropped int := 0;
begin
  perform pg_advisory_xact_lock(hashtext('audit_event partitions'));
  for part in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'audit_event'::regclass and c.relname ~ '^audit_event_\d{4}_\d\d$'
      and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' < (now() - keep) at time zone 'UTC'
  loop
    execute format('drop table %I', part.relname);
    dropped := dropped + 1;
  end loop;
  delete from audit_event_other where recorded_at < now() - keep;
  return dropped;
end $$;
comment on function audit_event_prune is 'Drops the months of the audit trail that are older than is kept';

select audit_event_add_partitions();

create view svc_audit as
  select recorded_at, topic, user_id as "user", object_id as object, event->>'operation' as operation,
         coalesce(event->>'status', event->'response'->>'status', event->>'result') as status, transaction_id, event
  from audit_event;
comment on view svc_audit is 'The audit trail: who did what to what, and what came of it';
