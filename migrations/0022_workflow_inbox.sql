-- compatible

-- What somebody works on of the tasks that were offered to a group, the newest first.
create index workflow_link_group_taken on workflow_identity_link (group_id, task_id)
  where type = 'candidate' and not is_open and group_id is not null;
