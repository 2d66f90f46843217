-- breaking: nodes of the version before read columns of views that have other names now

-- One name for one thing in all views that operators look into: a schedule, a node, a queue, a process and its elements go
-- by their names, without an ending; numbers and UUIDs end in _id.

-- What the REST interface shows of a trigger stays as the record that clients know.
alter view svc_trigger rename to scheduler_trigger_view;
comment on view scheduler_trigger_view is 'Triggers as records of the REST interface, which has scheduler_job_view show them too';

create view svc_trigger as
  select name as schedule, state, state_name, previous_state, "nodeId" as node, next_fire_at,
         running_since_plan as planned_at, started_at, parked, owner, trigger_id
  from scheduler_trigger_view;
comment on view svc_trigger is
  'State of every trigger: 0 normal, 1 paused, 2 complete, 3 error, 4 blocked by its own run; and the one before it. A disabled schedule has a trigger while a run of it goes on. node has its run, which was planned for planned_at; owner is the node that has it in memory';

alter view svc_schedule rename column running_on to node;
comment on view svc_schedule is
  'Schedules with their next and last firing. node has its run; owner is the node that has it in memory, null for a persisted one';

alter view svc_node rename column name to node;
alter view svc_node_event rename column id to event_id;
alter view svc_scan_run rename column id to run_id;
alter view svc_dead_letter rename column dead_letter to dead_letter_id;
alter view svc_dead_letter rename column job to job_id;
alter view svc_session rename column id to session_id;
alter view svc_relationship rename column id to edge_id;

alter view svc_process_instance rename column id to instance_id;
alter view svc_process_instance rename column at to elements;
alter view svc_task rename column id to task_id;
alter view svc_task rename column task to element;
alter view svc_workflow_dead_letter rename column id to job_id;
alter view svc_workflow_dead_letter rename column exception to error;
