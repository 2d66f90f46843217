-- compatible

create or replace view svc_process_instance as
  select i.id as instance_id,
         i.definition_key as process,
         i.definition_id,
         i.business_key,
         case when i.ended_at is not null then 'ended'
              when root.suspended_at is not null
                   or exists (select from workflow_definition v
                              where v.id in (s.definition_id, root.definition_id) and v.stopped_at is not null) then 'suspended'
              when d.dead > 0 then 'dead letter'
              else 'running' end as state,
         (select array_agg(distinct e->>'at' order by e->>'at')
          from jsonb_array_elements(s.state->'executions') as e
          where e->>'at' is not null and e->>'is' is distinct from 'scope') as elements,
         i.start_user_id as started_by,
         i.started_at,
         i.ended_at,
         i.delete_reason,
         i.super_instance_id as called_by
  from workflow_instance i
  left join workflow_state s on s.instance_id = i.id
  left join workflow_state root on root.instance_id = s.root_id
  left join lateral (select count(*) as dead from workflow_job j where j.instance_id = i.id and j.is_dead) d on true;
