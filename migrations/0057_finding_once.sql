-- compatible

-- A step of a process that has failed for good is told once: as a step of its process, and not as a job of its queue besides.
do $$
declare
  was text := pg_get_viewdef('svc_finding');
  now text := regexp_replace(was, 'LIMIT 1000\) dead\y', $more$LIMIT 1000) dead
  where not exists (select from workflow_job j where j.is_dead
                    and j.id = case dead.queue when 'workflow' then (dead.data->>'job')::uuid end)$more$);
begin
  if now = was then raise exception 'svc_finding is not as it was'; end if;
  execute 'create or replace view svc_finding as ' || now;
end $$;
