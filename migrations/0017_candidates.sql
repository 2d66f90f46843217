-- compatible
-- The tasks that a group could take, in the orders of id and creation: a page of them reads little more than its rows.
alter table workflow_identity_link add column task_created_at timestamptz not null default now();
update workflow_identity_link l
set task_created_at = t.created_at, is_open = l.is_open and t.assignee is null
from workflow_task t
where t.id = l.task_id and l.type = 'candidate' and l.is_open;
create index workflow_link_group_created on workflow_identity_link (group_id, task_created_at, task_id)
  where type = 'candidate' and is_open and group_id is not null;
-- A hash, because a description may be longer than what fits an ordered index.
create index workflow_task_open_description on workflow_task using hash (description)
  where ended_at is null and description is not null;
-- Without these the planner takes every value of a variable for a rare one, and reads all tasks that have it.
create statistics workflow_variable_values (mcv) on name, left(text_value, 200), text_value from workflow_variable;
comment on column workflow_identity_link.task_created_at is 'Of the task of a candidate, for the order of its group''s tasks';
comment on column workflow_identity_link.is_open is 'The task is open and nobody has it; candidates of other tasks are history';
comment on column workflow_variable.scope is
  'The execution it belongs to, 0 being the instance itself; a negative one is the task of that execution';
