-- compatible

-- The orders in which people look at open tasks; one index serves both directions. Ended tasks leave them.
drop index workflow_task_open_assignee;
create index workflow_task_open_assignee on workflow_task (assignee, id) where ended_at is null;
create index workflow_task_open_priority on workflow_task (priority, id) where ended_at is null;
create index workflow_task_open_due on workflow_task (due_at, id) where ended_at is null;
create index workflow_task_open_name on workflow_task (name, id) where ended_at is null;
create index workflow_task_open_owner on workflow_task (owner, id) where ended_at is null and owner is not null;

-- And those of history: by its beginning, and of what has ended by its end.
create index workflow_task_created on workflow_task (created_at, id);
drop index workflow_task_ended;
create index workflow_task_ended on workflow_task (ended_at, id) where ended_at is not null;
drop index workflow_instance_ended;
create index workflow_instance_ended on workflow_instance (ended_at, id) where ended_at is not null;
drop index workflow_instance_started;
create index workflow_instance_started on workflow_instance (started_at, id);
