-- compatible

-- How many processes those of somebody have called is counted with each call.
create index workflow_instance_called_starter on workflow_instance (start_user_id)
  where ended_at is null and super_instance_id is not null;
