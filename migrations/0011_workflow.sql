-- compatible

create sequence workflow_number;
comment on sequence workflow_number is 'Numbers of deployments and definitions; taken at deployment only';

create table workflow_deployment (
  id           bigint primary key default nextval('workflow_number'),
  name         text not null,
  content_hash text not null,
  origin       text,
  deployed_at  timestamptz not null default now()
);
create index workflow_deployment_name on workflow_deployment (name, id desc);
comment on table workflow_deployment is 'Process files that were deployed together: one file, or one archive';
comment on column workflow_deployment.content_hash is 'Of all resources; a file that has not changed is not deployed again';
comment on column workflow_deployment.origin is 'The machine and directory the file was found in; only from there it is undeployed by removal';

create table workflow_resource (
  deployment_id bigint not null references workflow_deployment on delete cascade,
  name          text not null,
  bytes         bytea not null,
  primary key (deployment_id, name)
);
comment on table workflow_resource is 'What a deployment consists of: process files, forms, images';

create table workflow_definition (
  id                    text collate "C" primary key,
  key                   text collate "C" not null,
  version               int not null,
  name                  text,
  category              text,
  description           text,
  deployment_id         bigint not null references workflow_deployment on delete cascade,
  resource_name         text not null,
  diagram_resource_name text,
  suspended             boolean not null default false,
  revision              int not null default 1,
  tenant_id             text not null default '',
  findings              jsonb not null default '[]',
  unique (key, version)
);
create index workflow_definition_deployment on workflow_definition (deployment_id);
comment on table workflow_definition is 'Versions of processes; id is key:version:number';
comment on column workflow_definition.suspended is 'Its file is gone while instances still run: no new ones start';
comment on column workflow_definition.findings is 'What its author should know: warnings of the deployment';

create table workflow_instance (
  id                 uuid primary key,
  definition_id      text collate "C" not null,
  definition_key     text collate "C" not null,
  definition_name    text,
  deployment_id      bigint,
  root_id            uuid not null,
  super_instance_id  uuid,
  super_execution    int,
  business_key       text,
  business_status    text,
  name               text,
  description        text,
  tenant_id          text not null default '',
  start_user_id      text,
  started_at         timestamptz not null,
  ended_at           timestamptz,
  delete_reason      text
);
create index workflow_instance_definition on workflow_instance (definition_id, id);
create index workflow_instance_key on workflow_instance (definition_key, started_at);
create index workflow_instance_business_key on workflow_instance (business_key) where business_key is not null;
create index workflow_instance_super on workflow_instance (super_instance_id) where super_instance_id is not null;
create index workflow_instance_start on workflow_instance (start_user_id, started_at);
create index workflow_instance_started on workflow_instance (started_at, id);
create index workflow_instance_ended on workflow_instance (ended_at, id) where ended_at is not null;
-- What runs, few among many that have ended: by process, and in the order in which it was started.
create index workflow_instance_running on workflow_instance (definition_key, id) where ended_at is null;
create index workflow_instance_running_started on workflow_instance (started_at, id) where ended_at is null;
-- How many processes somebody has under way is counted with each start, and how many those have called with each call.
create index workflow_instance_open_starter on workflow_instance (start_user_id)
  where ended_at is null and super_instance_id is null;
create index workflow_instance_called_starter on workflow_instance (start_user_id)
  where ended_at is null and super_instance_id is not null;
comment on table workflow_instance is
  'Process instances, running and finished. The last six digits of the id are 0; executions and tasks of the instance have their number there';
comment on column workflow_instance.definition_id is 'No foreign key: history outlives its definition, and has copied what it shows of it';
comment on column workflow_instance.root_id is 'The instance at the top of the chain of calls; its state row is the lock of the whole tree';

-- Whether somebody may start so many processes more, which stays so until the end of the transaction; false also while
-- somebody else starts one in their name: who asks does not wait for that. What the transaction itself has started is
-- among those asked for.
create function has_room(starter text, more int, allowed int) returns boolean language plpgsql volatile as $$
begin
  return pg_try_advisory_xact_lock(hashtextextended('starts of ' || starter, 0))
    and more + (select count(*)
                from (select from workflow_instance
                      where start_user_id = starter and ended_at is null and super_instance_id is null
                        and xmin is distinct from pg_current_xact_id_if_assigned()::xid
                      limit allowed) found) <= allowed;
end
$$;

create table workflow_state (
  instance_id   uuid primary key references workflow_instance on delete cascade,
  root_id       uuid not null,
  definition_id text collate "C" not null references workflow_definition,
  revision      int not null default 1,
  scopes        int[] not null default '{}',
  state         jsonb not null
) with (fillfactor = 70);
create index workflow_state_definition on workflow_state (definition_id);
comment on table workflow_state is
  'Where a running instance stands: tokens and scopes without variables. Its foreign key keeps a definition that is in use';
comment on column workflow_state.revision is 'Counts the transitions of the whole tree on the row of its root';
comment on column workflow_state.scopes is 'Executions whose variables are alive';

create table workflow_variable (
  instance_id uuid not null references workflow_instance on delete cascade,
  scope       int not null,
  name        text collate "C" not null,
  type        text not null check (type in ('string', 'integer', 'double', 'boolean', 'date', 'json', 'null')),
  value       jsonb not null,
  text_value  text collate "C",
  owner       text not null default 'process' check (owner in ('process', 'form', 'caller')),
  primary key (instance_id, scope, name)
) with (fillfactor = 80);
create index workflow_variable_text on workflow_variable (name, left(text_value, 200), instance_id)
  where text_value is not null and scope = 0;
-- Without these the planner takes every value of a variable for a rare one, and reads all tasks that have it.
create statistics workflow_variable_values (mcv) on name, left(text_value, 200), text_value from workflow_variable;
comment on table workflow_variable is 'Variables of running instances, and what they were last in finished ones';
comment on column workflow_variable.scope is
  'The execution it belongs to, 0 being the instance itself; a negative one is the task of that execution';
comment on column workflow_variable.text_value is 'Of scalars, for searching; dates are milliseconds';
comment on column workflow_variable.owner is
  'Who wrote it: the process itself, a caller by a form that declares it, or a caller where no form says what may be written';

create table workflow_task (
  id             uuid primary key,
  instance_id    uuid not null references workflow_instance on delete cascade,
  execution      int not null,
  element        text collate "C" not null,
  definition_id  text collate "C" not null,
  definition_key text collate "C" not null,
  name           text,
  description    text,
  assignee       text,
  owner          text,
  delegation     text check (delegation in ('pending', 'resolved')),
  priority       int not null,
  due_at         timestamptz,
  category       text,
  form_key       text,
  parent_task_id uuid,
  tenant_id      text not null default '',
  created_at     timestamptz not null,
  claimed_at     timestamptz,
  ended_at       timestamptz,
  delete_reason  text,
  submitted      jsonb,
  revision       int not null default 1
) with (fillfactor = 80);
create index workflow_task_instance on workflow_task (instance_id, execution);
-- The orders in which people look at open tasks; one index serves both directions. Ended tasks leave them.
create index workflow_task_open on workflow_task (id) where ended_at is null;
create index workflow_task_open_created on workflow_task (created_at, id) where ended_at is null;
create index workflow_task_open_assignee on workflow_task (assignee, id) where ended_at is null;
create index workflow_task_open_unassigned on workflow_task (id) where ended_at is null and assignee is null;
create index workflow_task_open_key on workflow_task (definition_key, id) where ended_at is null;
create index workflow_task_open_priority on workflow_task (priority, id) where ended_at is null;
create index workflow_task_open_due on workflow_task (due_at, id) where ended_at is null;
create index workflow_task_open_name on workflow_task (name, id) where ended_at is null;
create index workflow_task_open_owner on workflow_task (owner, id) where ended_at is null and owner is not null;
-- A hash, because a description may be longer than what fits an ordered index.
create index workflow_task_open_description on workflow_task using hash (description)
  where ended_at is null and description is not null;
-- And those of history: by its beginning, and of what has ended by its end.
create index workflow_task_assignee on workflow_task (assignee, id) where assignee is not null;
create index workflow_task_created on workflow_task (created_at, id);
create index workflow_task_ended on workflow_task (ended_at, id) where ended_at is not null;
comment on table workflow_task is 'User tasks, open and ended';
comment on column workflow_task.delete_reason is 'Null for a completed task';
comment on column workflow_task.submitted is 'What it was completed with';

create table workflow_identity_link (
  instance_id     uuid not null references workflow_instance on delete cascade,
  task_id         uuid,
  type            text not null check (type in ('starter', 'participant', 'assignee', 'owner', 'candidate')),
  user_id         text collate "C",
  group_id        text collate "C",
  is_open         boolean not null default true,
  task_created_at timestamptz not null default now(),
  check ((user_id is null) <> (group_id is null)),
  unique nulls not distinct (instance_id, task_id, type, user_id, group_id)
);
-- The tasks that a group could take, in the orders of id and creation: a page of them reads little more than its rows.
create index workflow_link_candidate_group on workflow_identity_link (group_id, task_id)
  where type = 'candidate' and is_open and group_id is not null;
create index workflow_link_group_created on workflow_identity_link (group_id, task_created_at, task_id)
  where type = 'candidate' and is_open and group_id is not null;
create index workflow_link_candidate_user on workflow_identity_link (user_id, task_id)
  where type = 'candidate' and is_open and user_id is not null;
create index workflow_link_user on workflow_identity_link (user_id, instance_id) where user_id is not null;
create index workflow_link_task on workflow_identity_link (task_id) where task_id is not null;
comment on table workflow_identity_link is 'Who has or had to do with a task, or with an instance where there is no task';
comment on column workflow_identity_link.is_open is 'The task is open and nobody has it; candidates of other tasks are history';
comment on column workflow_identity_link.task_created_at is 'Of the task of a candidate, for the order of its group''s tasks';

create table workflow_activity (
  instance_id uuid not null references workflow_instance on delete cascade,
  execution   int not null,
  element     text collate "C" not null,
  started_at  timestamptz not null,
  ended_at    timestamptz,
  reason      text,
  primary key (instance_id, execution, element)
);
comment on table workflow_activity is 'What an instance went through; kept from the history level "activity" on';

create table workflow_subscription (
  event         text not null check (event in ('message', 'signal')),
  name          text collate "C" not null,
  instance_id   uuid references workflow_instance on delete cascade,
  execution     int,
  element       text collate "C" not null,
  definition_id text collate "C" references workflow_definition on delete cascade,
  created_at    timestamptz not null default now(),
  unique nulls not distinct (instance_id, execution, element, definition_id)
);
create index workflow_subscription_name on workflow_subscription (event, name);
create index workflow_subscription_definition on workflow_subscription (definition_id) where definition_id is not null;
comment on table workflow_subscription is 'Waits for messages and signals: of executions, and of start events of definitions';

create table workflow_job (
  id            uuid primary key,
  kind          text not null check (kind in ('async', 'timer', 'startTimer', 'signal')),
  instance_id   uuid references workflow_instance on delete cascade,
  execution     int,
  element       text collate "C" not null,
  definition_id text collate "C" not null,
  due_at        timestamptz not null,
  repeat        jsonb,
  payload       jsonb,
  retries       int not null default 3,
  retry_cycle   text,
  revision      int not null default 1,
  is_dead       boolean not null default false,
  exception     text,
  created_at    timestamptz not null default now()
) with (fillfactor = 80);
create unique index workflow_job_place on workflow_job (instance_id, execution, element, kind)
  where kind in ('async', 'timer');
create index workflow_job_due on workflow_job (due_at) where not is_dead;
create index workflow_job_dead on workflow_job (id) where is_dead;
create index workflow_job_definition on workflow_job (definition_id) where kind = 'startTimer';
comment on table workflow_job is 'Work to be done in its own time: continuations, timers, start timers, signals that could not be delivered at once';
comment on column workflow_job.retries is 'Attempts that are left';
comment on column workflow_job.revision is 'The queue holds one job for it; one of an older revision does nothing';
comment on column workflow_job.is_dead is 'Out of attempts: a dead letter';

create table workflow_event (
  instance_id uuid not null references workflow_instance on delete cascade,
  number      int not null,
  at          timestamptz not null,
  user_id     text,
  stimulus    jsonb not null,
  effects     jsonb not null,
  primary key (instance_id, number)
);
comment on table workflow_event is 'Each transition of an instance with all its effects; kept at the history level "full"';

create view svc_process_instance as
  select i.id,
         i.definition_key as process,
         i.definition_id,
         i.business_key,
         case when i.ended_at is not null then 'ended' when d.dead > 0 then 'dead letter' else 'running' end as state,
         (select array_agg(distinct e->>'at' order by e->>'at')
          from jsonb_array_elements(s.state->'executions') as e
          where e->>'at' is not null and e->>'is' is distinct from 'scope') as at,
         i.start_user_id as started_by,
         i.started_at,
         i.ended_at,
         i.delete_reason,
         i.super_instance_id as called_by
  from workflow_instance i
  left join workflow_state s on s.instance_id = i.id
  left join lateral (select count(*) as dead from workflow_job j where j.instance_id = i.id and j.is_dead) d on true;
comment on view svc_process_instance is 'Process instances: where they stand, who started them, and how they ended';

create view svc_task as
  select t.id,
         t.name,
         t.element as task,
         t.definition_key as process,
         t.instance_id,
         t.assignee,
         (select array_agg(coalesce(l.user_id, 'role ' || l.group_id) order by 1)
          from workflow_identity_link l where l.task_id = t.id and l.type = 'candidate') as candidates,
         t.priority,
         t.due_at,
         t.created_at,
         now() - t.created_at as age
  from workflow_task t
  where t.ended_at is null;
comment on view svc_task is 'Open user tasks: whose they are, and who could take them';

create view svc_workflow_dead_letter as
  select j.id, j.kind, i.definition_key as process, j.definition_id, j.instance_id, j.element, j.exception, j.due_at, j.created_at
  from workflow_job j
  left join workflow_instance i on i.id = j.instance_id
  where j.is_dead;
comment on view svc_workflow_dead_letter is 'Workflow jobs that are out of attempts, and why; POST /workflow/job/deadletter/<id>?_action=retry tries again';
