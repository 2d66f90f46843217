-- compatible

-- From time to time each node looks for schedules that ended while several of their runs did at once. Only these can
-- have several; without an index the look went through all schedules.
create index scheduler_job_ending on scheduler_job (trigger_id)
  where source = 'rest' and parked is null and (definition->>'concurrentExecution')::boolean;
