-- Triggers that are always due: their planned times lie far in the past, an hour apart.
truncate scheduler_job, scheduler_due, scheduler_run, scheduler_firing, cluster_node restart identity cascade;
insert into cluster_node (name) select 'claimer-' || n from generate_series(1, 64) n;
insert into scheduler_job (id, definition, source, content_hash)
select 'job-' || n,
       '{"enabled": true, "type": "cron", "persisted": true, "invokeService": "svc.service.none",
         "misfirePolicy": "fireAndProceed", "concurrentExecution": false, "schedule": "0 0 * * * ?", "startTime": null,
         "endTime": null, "timeZone": "UTC", "invokeContext": null, "invokeLogLevel": "info"}', 'rest', ''
from generate_series(1, :triggers) n;
insert into scheduler_due (due_at, fire_at, trigger_id, generation)
select clock_timestamp(), timestamptz '2000-01-01', trigger_id, generation from scheduler_job order by random();
analyze scheduler_job, scheduler_due, scheduler_run, cluster_node;
