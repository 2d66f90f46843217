-- compatible

-- Which migrations stand in this database, and which of them older nodes cannot live with.
create table schema_version (
  name       text primary key,
  breaking   text,
  applied_at timestamptz not null default now()
);
comment on table schema_version is 'Applied migrations; breaking says why older nodes must not run on this schema';

-- Ends a statement that should have stored more than it has: another one has changed what it depends on.
create function require_rows(stored bigint, expected bigint) returns boolean language plpgsql as $$
begin
  if stored <> expected then
    raise exception 'only % of % rows are as they were when they were read', stored, expected using errcode = 'SV001';
  end if;
  return true;
end
$$;

-- Whoever waits for a lock in a plain statement holds a snapshot as long as it waits, and nothing that dies meanwhile can
-- be vacuumed away. Nodes wait for one another for days, so they wait in short pieces. The timeout is caught here and
-- not in the node, so that the log of Postgres has no error for each piece.
create function svc_wait_for_lock(class integer, key integer, at_most_ms integer) returns boolean
  language plpgsql as $$
begin
  perform set_config('lock_timeout', at_most_ms::text, true);
  perform pg_advisory_lock(class, key);
  return true;
exception
  when lock_not_available then
    return false;
end
$$;
comment on function svc_wait_for_lock is
  'Waits for an advisory lock of the session, at most so many milliseconds. Whether it is held now.';

-- Tables that are kept by month (the ledger, the audit trail) have one way to make months and to drop them. What a
-- month took in the default partition before it was made moves into it.
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
