-- compatible

-- What failed in a run is listed and may be tried again, once: by another run, of those objects.
alter table scan_run add column retry_of uuid constraint scan_run_retry unique;
comment on column scan_run.retry_of is 'The run whose failed objects it tries again';

drop index scan_error_run;
create index scan_error_run on scan_error (run_id, failed_at, object);
comment on table scan_error is 'The objects that failed in a run, and why: the first hundred thousand, and what failed beside them';

create or replace view svc_scan_run as
  select r.id, r.name as schedule, r.definition->>'object' as object, r.state,
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
                       and j.data->>'run' = r.id::text) n on true;
comment on view svc_scan_run is
  'Runs of the task scanner: how far they are, when they will probably end, which nodes work on them now. errors are the first hundred; retried_by is the run that tries again what failed';
