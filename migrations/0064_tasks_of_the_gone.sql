-- compatible

-- Processes know people by name, and whoever comes later under the name of somebody who is gone is somebody else: open tasks that were
-- theirs, or theirs to take, are then for an administrator to give to somebody. In the place of the name stands the path of the account,
-- by which nobody is called.
alter table workflow_instance add column is_starter_gone boolean not null default false;
comment on column workflow_instance.is_starter_gone is
  'The account of whoever has started it was deleted: whoever has that name now has not';

create function disown_tasks() returns trigger language plpgsql as $$
declare
  who record;
begin
  for who in
    select data->>'userName' as name, 'managed/user/' || id || ' (deleted)' as path
    from gone where type = 'user' and data->>'userName' <> ''
  loop
    update workflow_task set assignee = who.path, revision = revision + 1 where ended_at is null and assignee = who.name;
    update workflow_task set owner = who.path, revision = revision + 1 where ended_at is null and owner = who.name;
    update workflow_identity_link l set user_id = who.path
    where l.user_id = who.name and l.type = 'candidate' and l.task_id is not null and not exists (
      select from workflow_identity_link o
      where o.instance_id = l.instance_id and o.task_id = l.task_id and o.type = l.type and o.user_id = who.path);
    update workflow_instance set is_starter_gone = true where start_user_id = who.name and not is_starter_gone;
  end loop;
  return null;
end
$$;
create trigger disown_tasks after delete on managed_object referencing old table as gone
  for each statement execute function disown_tasks();
