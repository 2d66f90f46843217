-- compatible

-- Schedules of one concurrency key never run at once, however many nodes there are: of two claims the second finds
-- the key taken, and waits.
alter table scheduler_due add column concurrency_key text collate "C";
alter table scheduler_run add column concurrency_key text collate "C";
create unique index scheduler_run_concurrency_key on scheduler_run (concurrency_key) where concurrency_key is not null;
comment on column scheduler_due.concurrency_key is 'What excludes it from running beside other schedules; null for most';
comment on column scheduler_run.concurrency_key is 'Taken as long as it runs, for all schedules that have the same';
