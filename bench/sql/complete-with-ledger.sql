-- As complete.sql, but only for schedules that are still there, and with a row of the ledger for each. The lateral
-- look-up keeps to the index of schedules; as a join it is at times planned as a scan of all of them.
with done as (
  delete from scheduler_run where node_id = :node and node_epoch = 1
  returning trigger_id, generation, fire_at, attempt, next_planned, claimed_at
), next as (
  insert into scheduler_due (due_at, fire_at, trigger_id, generation)
  select greatest(done.fire_at + interval '1 hour', clock_timestamp()), done.fire_at + interval '1 hour',
         trigger_id, generation
  from done
  cross join lateral (select from scheduler_job j
                      where j.trigger_id = done.trigger_id and j.generation = done.generation limit 1) still_there
  where not next_planned
  on conflict do nothing
), ledger as (
  insert into scheduler_firing (planned_at, trigger_id, generation, job_id, outcome, node, attempt, claimed_at,
                                started_at, late_ms)
  select fire_at, trigger_id, generation, 'job', 'fired', 'bench', attempt, claimed_at, claimed_at, 0
  from done
  on conflict do nothing
)
select count(*) from done;
