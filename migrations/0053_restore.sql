-- compatible

-- What the database was when nodes worked with it last: who starts on another one, which knows of nodes at work, is on a copy.
create table database_place (
  only_one boolean primary key default true check (only_one),
  history  uuid not null default gen_random_uuid(),
  cluster  text,
  database oid not null,
  timeline int,
  noted_at timestamptz not null default clock_timestamp()
);
comment on table database_place is 'Which database of which server this is, as nodes have found it';
comment on column database_place.history is
  'Made anew when a restored database is taken into use: what a node has noted of the one before says nothing any more';
comment on column database_place.cluster is 'The system identifier of the server; null where it does not tell';

create table incident (
  id      bigint generated always as identity primary key,
  kind    text not null check (kind in ('rolledBack', 'restored', 'takenAsItIs')),
  at      timestamptz not null default clock_timestamp(),
  told_by text not null,
  detail  jsonb not null
);
comment on table incident is 'What has become of the database itself; the last thousand';

create view svc_incident as select at, kind, told_by, detail from incident order by at desc;
comment on view svc_incident is 'What was lost with a fail-over, and when the database was restored';
comment on column svc_incident.kind is
  'rolledBack: a fail-over has lost what a node had seen to be written; restored: svc restore-fence was run; takenAsItIs: a node was started with --as-it-is';
comment on column svc_incident.told_by is 'The node or the command that has found or done it';

-- What waits in a queue that is held waits for somebody to release it.
alter table work_queue add column held_since timestamptz;
comment on column work_queue.held_since is 'Since when nothing of the queue is begun; null while it is';

create or replace view svc_queue as
  select q.name as queue,
         coalesce(j.ready, 0) as ready,
         coalesce(j.deferred, 0) as deferred,
         coalesce(j.active, 0) as active,
         coalesce(j.retrying, 0) as retrying,
         coalesce(d.dead, 0) as dead,
         j.oldest_ready_at,
         j.next_due_at,
         (select json_agg(distinct n.name) from work_job c join cluster_node n on n.id = c.node_id
          where c.queue = q.name and c.node_id is not null) as nodes,
         q.held_since
  from work_queue q
  left join (select queue as name,
                    count(*) filter (where node_id is null and due_at <= clock_timestamp()) as ready,
                    count(*) filter (where due_at > clock_timestamp()) as deferred,
                    count(*) filter (where node_id is not null and due_at <= clock_timestamp()) as active,
                    count(*) filter (where node_id is null and attempt > 1) as retrying,
                    min(due_at) filter (where node_id is null and due_at <= clock_timestamp()) as oldest_ready_at,
                    min(due_at) filter (where due_at > clock_timestamp()) as next_due_at
             from work_job group by queue) j using (name)
  left join (select queue as name, count(*) as dead from work_dead_letter group by queue) d using (name);
comment on column svc_queue.held_since is 'Since when svc restore-fence holds it; svc release lets it go';

-- The rest of the view stays as it is.
do $$ begin
  execute 'create or replace view svc_finding as ' || rtrim(pg_get_viewdef('svc_finding'), '; ') || $more$
  union all
  (select 'DATABASE_ROLLED_BACK', 'error', min(at), 'cluster',
         'A fail-over has lost at least ' || max((detail->>'bytes')::numeric) || ' bytes of what was written, of the last '
           || max((detail->>'seconds')::numeric) || ' s before it',
         'See A fail-over has lost something in docs/operations.md', null::text, null::jsonb
  from incident where kind = 'rolledBack' and at > statement_timestamp() - interval '1 day'
  group by detail->>'timeline' order by 3 desc limit 20)
  union all
  select 'QUEUE_HELD', 'warning', held_since, 'queue/' || name, 'nothing of this queue is begun since the database was restored',
         'svc release ' || name || ', when what waits in it may be done', null, null
  from work_queue where held_since is not null$more$;
end $$;
