-- Completes all that a claimer holds: the runs go, and the triggers wait for their next hour.
with done as (
  delete from scheduler_run where node_id = :node and node_epoch = 1
  returning trigger_id, generation, fire_at, next_planned
), next as (
  insert into scheduler_due (due_at, fire_at, trigger_id, generation)
  select greatest(done.fire_at + interval '1 hour', clock_timestamp()), done.fire_at + interval '1 hour',
         trigger_id, generation
  from done where not next_planned
  on conflict do nothing
)
select count(*) from done;
