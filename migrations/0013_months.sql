-- compatible

-- Tables that are kept by month (the ledger, the audit trail) have one way to make months and to drop them.
create function months_add(parent regclass, moment name) returns void language plpgsql as $$
declare
  month date := date_trunc('month', now() at time zone 'UTC')::date;
  low   text;
  high  text;
  part  text;
begin
  perform pg_advisory_xact_lock(hashtext(parent || ' partitions'));
  for n in 0..2 loop
    part := parent || '_' || to_char(month, 'YYYY_MM');
    low := month::text || 'T00:00:00Z';
    high := (month + interval '1 month')::date::text || 'T00:00:00Z';
    if to_regclass(part) is null then
      execute format('create table %I (like %s including defaults including constraints)', part, parent);
      execute format('with moved as (delete from %I where %I >= %L and %I < %L returning *)
                      insert into %I select * from moved', parent || '_other', moment, low, moment, high, part);
      execute format('alter table %s attach partition %I for values from (%L) to (%L)', parent, part, low, high);
    end if;
    month := (month + interval '1 month')::date;
  end loop;
end $$;
comment on function months_add is
  'Makes the partitions of this month and the next two; what the default partition took for one of them moves into it';

create function months_drop(parent regclass, moment name, keep interval) returns int language plpgsql as $$
declare
  part    record;
  dropped int := 0;
begin
  perform pg_advisory_xact_lock(hashtext(parent || ' partitions'));
  for part in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = parent and c.relname ~ ('^' || parent || '_\d{4}_\d\d$')
      and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' < (now() - keep) at time zone 'UTC'
  loop
    execute format('drop table %I', part.relname);
    dropped := dropped + 1;
  end loop;
  execute format('delete from %I where %I < now() - $1', parent || '_other', moment) using keep;
  return dropped;
end $$;
comment on function months_drop is 'Drops the months that are older than is kept, and says how many';

create or replace function scheduler_firing_add_partitions() returns void
  language sql begin atomic select months_add('scheduler_firing', 'planned_at'); end;
create or replace function scheduler_firing_prune(keep interval) returns int
  language sql begin atomic select months_drop('scheduler_firing', 'ended_at', keep); end;
create or replace function audit_event_add_partitions() returns void
  language sql begin atomic select months_add('audit_event', 'recorded_at'); end;
create or replace function audit_event_prune(keep interval) returns int
  language sql begin atomic select months_drop('audit_event', 'recorded_at', keep); end;
