-- compatible

-- The newest entries of a topic, and of all topics as one stream, are read from their place; one entry by its id.
create index audit_event_time on audit_event (topic, recorded_at);
create index audit_event_recorded on audit_event (recorded_at);
drop index audit_event_id;
create index audit_event_id on audit_event (id);

-- Asked for every second by all who look at the state of the cluster: no index serves a clock that goes on while it is compared
-- with, and schedules that were given up are few of many.
create index scheduler_job_parked on scheduler_job (state_changed_at) where parked is not null;
do $$ begin
  execute 'create or replace view svc_finding as '
    || replace(pg_get_viewdef('svc_finding'), 'clock_timestamp()', 'statement_timestamp()');
end $$;
