-- compatible

-- Somebody who comes later under the id of whoever made an operation must not find it; administrators still do.
create function disown_operations() returns trigger language plpgsql as $$
begin
  update scan_run r set owner = r.owner || ' (deleted)'
  from gone g where r.operation is not null and r.owner = tg_argv[0] || g.type || '/' || g.id;
  return null;
end
$$;
create trigger disown_operations after delete on managed_object referencing old table as gone
  for each statement execute function disown_operations('managed/');
create trigger disown_operations after delete on repo_object referencing old table as gone
  for each statement execute function disown_operations('repo/');
