-- compatible

-- The counts of all schedules together lie apart from those of each: among a hundred schedules a day of them by the minute was
-- a row of each of four thousand pages.
select from scheduler_firing_counted for update;
alter table scheduler_firing_count rename to scheduler_firing_count_of_each;
alter index scheduler_firing_count_pkey rename to scheduler_firing_count_of_each_pkey;

create table scheduler_firing_count (
  like scheduler_firing_count_of_each including comments including constraints,
  primary key (grain, schedule, start, outcome, node)
) partition by list (schedule);
comment on table scheduler_firing_count is
  'Firings by their planned time, counted. They stay when the ledger is pruned';
create table scheduler_firing_count_of_all partition of scheduler_firing_count for values in ('') with (fillfactor = 80);
with moved as (delete from scheduler_firing_count_of_each where schedule = '' returning *)
insert into scheduler_firing_count_of_all select * from moved;
alter table scheduler_firing_count attach partition scheduler_firing_count_of_each default;

create or replace function scheduler_firing_count_prune(minutes interval, hours interval) returns void language sql
  begin atomic
    delete from scheduler_firing_count where grain = 60 and start < now() - minutes;
    delete from scheduler_firing_count where grain in (3600, 86400) and start < now() - hours;
  end;
