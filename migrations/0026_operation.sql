-- compatible

-- An operation is a run, too: what it does with each object is built in, and not a script.
alter table scan_run add column operation jsonb, add column owner text, add column bytes bigint not null default 0;
comment on column scan_run.operation is 'What an operation does with each of its objects, its content encrypted; null of a scan';
comment on column scan_run.owner is 'Of an operation: who made it, as component/id';
comment on column scan_run.bytes is 'Of an export: how much its slices that are done have written';
create index scan_run_owner on scan_run (owner, created_at) where operation is not null;

create table scan_line (
  run_id   uuid not null references scan_run (id) on delete cascade,
  number   int not null,
  object   text not null,
  content  jsonb not null,
  primary key (run_id, number)
);
comment on table scan_line is 'What an export has read, one row per object in the order in which they were found';

create or replace view svc_scan_run as
  select r.id as run_id, r.name as schedule, r.definition->>'object' as object, r.state,
         case when r.paged then r.total else greatest(r.total, d.done) end as total,
         d.successes + d.failures as processed, d.successes, d.failures, d.skipped,
         case when r.paged and r.total > 0 then round(100.0 * d.done / r.total, 1) end as percent,
         case when r.state = 'ACTIVE' and r.paged and d.done > 0
              then clock_timestamp() + (clock_timestamp() - r.started_at) * ((r.total - d.done)::float8 / d.done)
         end as estimate,
         n.nodes, r.created_at, r.started_at, r.ended_at, r.error,
         (select json_agg(json_build_object('objectID', e.object, 'error', e.error) order by e.failed_at)
          from (select * from scan_error where run_id = r.id order by failed_at, object limit 100) e) as errors,
         r.retry_of, (select o.id from scan_run o where o.retry_of = r.id) as retried_by
  from scan_run r
  cross join lateral (select r.successes + coalesce(sum(s.successes), 0)::bigint as successes,
                             r.failures + coalesce(sum(s.failures), 0)::bigint as failures,
                             r.skipped + coalesce(sum(s.skipped), 0)::bigint as skipped,
                             r.successes + r.failures + r.skipped + coalesce(sum(s.position), 0)::bigint as done
                      from scan_slice s where s.run_id = r.id and s.lane is not null) d
  left join lateral (select json_agg(distinct n.name) as nodes
                     from work_job j join cluster_node n on n.id = j.node_id
                     where j.node_id is not null and j.queue in ('scan-page', 'scan-slice')
                       and j.data->>'run' = r.id::text) n on true
  where r.operation is null;

create view svc_operation as
  select r.id as operation, r.operation->>'act' as act, r.definition->>'object' as resource, r.owner,
         case r.state when 'INITIALIZED' then 'PREPARED' else r.state end as state,
         r.total, d.successes + d.failures as processed, d.successes, d.failures, d.skipped,
         case when r.total > 0 then round(100.0 * d.done / r.total, 1) end as percent,
         case when r.state = 'ACTIVE' and d.done > 0
              then clock_timestamp() + (clock_timestamp() - r.started_at) * ((r.total - d.done)::float8 / d.done)
         end as estimate,
         n.nodes, r.created_at, r.started_at, r.ended_at, r.error, r.transaction_id
  from scan_run r
  cross join lateral (select r.successes + coalesce(sum(s.successes), 0)::bigint as successes,
                             r.failures + coalesce(sum(s.failures), 0)::bigint as failures,
                             r.skipped + coalesce(sum(s.skipped), 0)::bigint as skipped,
                             r.successes + r.failures + r.skipped + coalesce(sum(s.position), 0)::bigint as done
                      from scan_slice s where s.run_id = r.id and s.lane is not null) d
  left join lateral (select json_agg(distinct n.name) as nodes
                     from work_job j join cluster_node n on n.id = j.node_id
                     where j.node_id is not null and j.queue = 'scan-slice' and j.data->>'run' = r.id::text) n on true
  where r.operation is not null;
comment on view svc_operation is
  'Operations over many objects: how far they are, whose they are, which nodes work on them now. One that is PREPARED has frozen its objects and waits to be started; it goes after a day, one that has ended after thirty';

-- What is wrong with an operation is told with its own path.
create or replace view svc_finding as
  with node as materialized (
    select name, svc_node_state(state, seen_at) as state, seen_at, recovery, keys, drained_at, drained_by, reported_at, report
    from cluster_node left join cluster_report on node_id = id),
  live as materialized (select * from node where state = 'running'),
  setting as (select * from scheduler_setting),
  trouble as materialized (
    select * from scheduler_firing
    where (error is not null or outcome in ('misfired', 'lost')) and planned_at > now() - interval '1 hour'
    order by planned_at desc limit 1000)

  select 'NODE_LOST' as id, 'error' as severity, seen_at as since, 'cluster/' || name as subject,
         'says nothing for ' || round(extract(epoch from clock_timestamp() - seen_at)) || ' s, and has not been taken over yet' as text,
         'Look at its log and its machine. Another node takes over by itself; if none does, look at Postgres' as hint,
         null::text as at, null::jsonb as actions
  from node where state = 'lost'
  union all
  (select 'NODE_RECOVERED', 'warning', (recovery->>'detectedDown')::timestamptz, 'cluster/' || name,
         'died and was taken over by ' || (recovery->>'recoveredBy'),
         'Nothing to do: what it had was done again. See /cluster/event, and why it died', null, null
  from node where state = 'down' and (recovery->>'detectedDown')::timestamptz > clock_timestamp() - interval '1 hour'
  order by 3 desc limit 20)
  union all
  (select 'NODE_NOT_READY', 'error', coalesce((part->>'since')::timestamptz, reported_at), 'cluster/' || name,
         (part->>'name') || ' is down' || coalesce(': ' || (part->>'detail'), ''),
         'See A node is not ready in docs/operations.md', null, null
  from live, jsonb_array_elements(report->'parts') part
  where part->>'ok' = 'false' and part->>'name' <> 'drain' limit 20)
  union all
  select 'NODE_DRAINED', 'info', drained_at, 'cluster/' || name, 'was drained by ' || drained_by || ' and claims nothing',
         'Restart it, or let it work again', null,
         jsonb_build_array(jsonb_build_object('title', 'Resume', 'request', 'POST cluster/' || name || '?_action=resume'))
  from live where drained_at is not null
  union all
  select 'NODE_SILENT', 'warning', reported_at, 'cluster/' || name, 'lives and says nothing of itself',
         'Look for node report in its log', null, null
  from live where reported_at < clock_timestamp() - interval '15 seconds'
  union all
  select 'NODE_BEHIND', 'warning', reported_at, 'cluster/' || name,
         'is of a version before that of the schema: it knows ' || (report->>'migration'),
         'Replace it by a node of the new version', null, null
  from live where report->>'migration' < (select max(name) from schema_version)
  union all
  (select 'NODES_DIFFER', 'warning', max(reported_at), 'cluster',
         'configuration is not the same on ' || string_agg(name, ', ' order by name),
         'Put the same files on all nodes; what is changed through /config is on all of them', null, null
  from live where report is not null having count(distinct report->>'configuration') > 1)
  union all
  (select 'CONFIG_REFUSED', 'error', (refused->>'since')::timestamptz, 'config/' || (refused->>'id'),
         'was refused on ' || name || ', and the old one stays in force: ' || coalesce(refused->'findings'->>0, ''),
         'Mend the file; it is read again by itself', refused->'findings'->>0, null
  from live, jsonb_array_elements(report->'refused') refused limit 20)
  union all
  (select 'KEY_LACKING', 'error', first_used_at, 'key/' || alias || ':' || key,
         array_to_string(lacking, ', ') || ' cannot read what is stored under this key',
         'Give all nodes the same SVC_KEYS', null, null
  from svc_key where cardinality(lacking) > 0 limit 20)
  union all
  select 'AUDIT_LOST', 'error', reported_at, 'cluster/' || name,
         (report->'figures'->>'svc_audit_lost') || ' entries of the audit could not be stored since it started',
         'Look at Postgres: full disk, locks', null, null
  from live where (report->'figures'->>'svc_audit_lost')::float8 > 0
  union all
  (select 'AUDIT_UNSEALED', 'error', reported_at, 'audit',
         'entries wait for their seal for ' || round((report->'figures'->>'svc_audit_unsealed_seconds')::numeric) || ' s',
         'See audit sealer in the log, and who holds its lock', null, null
  from live where (report->'figures'->>'svc_audit_unsealed_seconds')::float8 > 60 order by reported_at desc limit 1)
  union all
  select 'LOCK_WAIT', 'warning', reported_at - make_interval(secs => (report->'figures'->>'svc_db_lock_wait_seconds')::float8),
         'cluster/' || name,
         (report->'figures'->>'svc_db_lock_waiting') || ' of its sessions wait for a lock that somebody holds',
         'See It is slow in docs/operations.md', null, null
  from live where (report->'figures'->>'svc_db_lock_wait_seconds')::float8 > 10
  union all
  select 'CLOCK_SKEW', 'warning', reported_at, 'cluster/' || name,
         'its clock differs from the database''s by ' || (report->>'clockSkewMs') || ' ms', 'Have its clock set by NTP', null, null
  from live where abs((report->>'clockSkewMs')::float8) > 250
  union all
  select 'SCHEDULES_PAUSED', 'warning', changed_at, 'scheduler/job',
         'all schedules are paused' || coalesce(' by ' || changed_by, ''), 'Resume them when the reason is over', null,
         '[{"title": "Resume", "request": "POST scheduler/job?_action=resumeJobs"}]'
  from setting where paused
  union all
  (select 'SCHEDULE_LATE', 'error', min(d.fire_at), 'scheduler/job/' || j.id,
         'is overdue by ' || round(extract(epoch from clock_timestamp() - min(d.fire_at))) || ' s',
         'svc why schedule ' || j.id || ' tells what it waits for', null,
         jsonb_build_array(jsonb_build_object('title', 'Why', 'request', 'POST scheduler/job/' || j.id || '?_action=why'))
  from (select * from scheduler_due where owner_id is null and due_at < clock_timestamp() - interval '10 seconds'
        order by due_at limit 1000) d
    join scheduler_job j on j.trigger_id = d.trigger_id and j.generation = d.generation
  where d.kind = 'planned' and not j.paused and not (select paused from setting)
  group by j.id order by 3 limit 20)
  union all
  (select 'SCHEDULE_FAILS', 'error', min(planned_at), 'scheduler/job/' || job_id,
         'failed ' || count(*) || case when count(*) = 1 then ' time' else ' times' end || ' in the last hour: '
           || left(coalesce((array_agg(error->>'message' order by planned_at desc))[1], ''), 300),
         'Mend the script, rehearse it, run it now', (array_agg(error->>'at' order by planned_at desc))[1],
         jsonb_build_array(jsonb_build_object('title', 'Run now', 'request', 'POST scheduler/job/' || job_id || '?_action=trigger'))
  from trouble where error is not null group by job_id order by count(*) desc limit 20)
  union all
  (select case outcome when 'lost' then 'FIRING_LOST' else 'SCHEDULE_MISFIRED' end, 'warning', min(planned_at),
         'scheduler/job/' || job_id,
         count(*) || case when count(*) = 1 then ' planned time' else ' planned times' end
           || case outcome when 'lost' then ' may have begun on a node that was lost' else ' could not be kept and were given up' end
           || ' in the last hour',
         'svc why schedule ' || job_id || ' tells why', null, null
  from trouble where outcome in ('misfired', 'lost') group by job_id, outcome order by count(*) desc limit 20)
  union all
  (select 'SCHEDULE_PARKED', 'error', state_changed_at, 'scheduler/job/' || id,
         'was given up, because nodes died of it', 'Mend it, then resume it', null,
         jsonb_build_array(jsonb_build_object('title', 'Resume', 'request', 'POST scheduler/job/' || id || '?_action=resume'))
  from scheduler_job where parked is not null order by state_changed_at desc limit 20)
  union all
  (select 'DEAD_LETTERS', 'error', min(died_at), 'queue/' || queue,
         case when count(*) > 999 then 'a thousand or more' else count(*)::text end
           || case when count(*) = 1 then ' job has' else ' jobs have' end || ' failed for good: '
           || left(coalesce((array_agg(error->>'message' order by died_at desc))[1], ''), 300),
         'select * from svc_dead_letter', null, null
  from (select * from work_dead_letter order by died_at desc limit 1000) dead
  group by queue order by count(*) desc limit 20)
  union all
  (select 'PROCESS_STUCK', 'error', min(j.created_at), 'workflow/job/deadletter',
         case when count(*) > 999 then 'a thousand or more' else count(*)::text end
           || case when count(*) = 1 then ' step of ' else ' steps of ' end || split_part(j.definition_id, ':', 1)
           || case when count(*) = 1 then ' has' else ' have' end || ' failed for good: ' || left(coalesce(max(j.exception), ''), 300),
         'Mend the cause, then retry', null,
         '[{"title": "Show", "request": "GET workflow/job/deadletter?_queryFilter=true"}]'
  from (select * from workflow_job where is_dead order by id desc limit 1000) j
  group by split_part(j.definition_id, ':', 1) order by count(*) desc limit 20)
  union all
  (select 'SCAN_STUCK', 'error', r.created_at, r.path,
         'processing an object ended its node or thread: ' || r.what,
         'Cancel it, and mend its script', null,
         jsonb_build_array(jsonb_build_object('title', 'Cancel', 'request', 'POST ' || r.path || '?_action=cancel'))
  from (select *, case when operation is null then 'taskscanner/' else 'operation/' end || id as path,
               coalesce(name, case when operation is null then 'a scan' else 'an operation' end) as what
        from scan_run) r where r.ended_at is null and exists (select from scan_slice s where s.run_id = r.id and s.stuck > 0)
  order by r.created_at desc limit 20)
  union all
  (select 'SCAN_FAILED', 'error', ended_at, case when operation is null then 'taskscanner/' else 'operation/' end || id,
         coalesce(name, case when operation is null then 'a scan' else 'an operation' end) || ' ended with an error: ' || left(coalesce(error->>'message', ''), 300),
         'Mend it, and run it again', null, null
  from scan_run where state = 'ERROR' and ended_at > clock_timestamp() - interval '1 hour' order by ended_at desc limit 20);
