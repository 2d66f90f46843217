-- compatible

-- When a schedule fires, for people who look with psql; the words are made by whoever registers it.
alter table scheduler_job add column words text;
comment on column scheduler_job.words is
  'When it fires, in English; null until a node has said so of what was registered before there were words';

create or replace view svc_schedule as
  select j.id as schedule,
         coalesce((j.definition->>'enabled')::boolean, true) as enabled,
         j.definition->>'type' as type, j.definition->>'schedule' as expression,
         j.definition->>'timeZone' as time_zone, j.definition->>'invokeService' as service, j.source,
         t.state_name as state, t.next_fire_at, t."nodeId" as node,
         last.planned_at as last_planned_at, last.outcome as last_outcome, last.error is not null as last_failed,
         o.name as owner, j.trigger_id, j.words
  from scheduler_job j
  left join cluster_node o on o.id = j.owner_id
  left join scheduler_trigger_view t on t.trigger_id = j.trigger_id
  left join lateral (
    (select f.planned_at, f.outcome, f.error from scheduler_firing f
     where j.owner_id is null and f.job_id = j.id order by f.planned_at desc limit 1)
    union all
    (select planned_at, outcome, error from (
       select * from scheduler_firing f where j.owner_id is not null and f.job_id = j.id
       order by f.planned_at desc limit 250) own
     where trigger_id = j.trigger_id order by planned_at desc limit 1)) last on true;
comment on view svc_schedule is
  'Schedules with their next and last firing, and words for when they fire. node has its run; owner is the node that has it in memory, null for a persisted one';
