-- compatible
-- stalls rows-changed-at-once: operations are kept for thirty days, and those of accounts that are gone are few

-- That whoever made an operation is gone is no part of what they were called: somebody else may be called so.
alter table scan_run add column is_disowned boolean not null default false;
comment on column scan_run.is_disowned is 'Of an operation: whoever made it is gone, and nobody is who has that name now';
update scan_run set is_disowned = true where operation is not null and owner like '% (deleted)';

create or replace function disown_operations() returns trigger language plpgsql as $$
begin
  update scan_run r set owner = r.owner || ' (deleted)', is_disowned = true
  from gone g
  where r.operation is not null and not r.is_disowned and r.owner = tg_argv[0] || g.type || '/' || g.id;
  return null;
end
$$;

create or replace function forget_items_of_keys() returns trigger language plpgsql as $$
begin
  delete from personal_item p using gone g where p.owner = 'apikey/' || g.id;
  update scan_run r set owner = r.owner || ' (deleted)', is_disowned = true
  from gone g where r.operation is not null and not r.is_disowned and r.owner = 'apikey/' || g.id;
  return null;
end
$$;

create or replace function forget_items_of_configured_keys() returns trigger language plpgsql as $$
begin
  delete from personal_item p using gone g where p.owner = g.owner;
  delete from auth_session s using gone g where s.component || '/' || s.user_id = g.owner;
  update scan_run r set owner = r.owner || ' (deleted)', is_disowned = true
  from gone g where r.operation is not null and not r.is_disowned and r.owner = g.owner;
  return null;
end
$$;
