-- compatible

-- How many processes somebody has under way is counted with each start.
create index workflow_instance_open_starter on workflow_instance (start_user_id)
  where ended_at is null and super_instance_id is null;
