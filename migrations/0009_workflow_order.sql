-- compatible

-- What runs, in the order in which it was started: few among many that have ended.
create index workflow_instance_running_started on workflow_instance (started_at, id) where ended_at is null;
