-- compatible

-- Firings are counted by the day, too, so that a month is read from some dozen rows of each schedule.
alter table scheduler_firing_count drop constraint scheduler_firing_count_grain_check;
alter table scheduler_firing_count add check (grain in (60, 3600, 86400));
comment on column scheduler_firing_count.grain is 'Seconds: a minute, an hour or a day, in UTC';

create or replace function scheduler_roll_firings(every interval default '20 seconds', margin interval default '5 seconds')
  returns boolean language plpgsql set jit = off as $$
declare
  state scheduler_firing_counted;
  high  timestamptz;
begin
  select * into state from scheduler_firing_counted for update skip locked;
  if not found or (state.counted_until >= coalesce(state.next_until, '-infinity')
                   and state.looked_at > clock_timestamp() - every) then
    return false;
  end if;
  if state.next_until is null or state.counted_until >= state.next_until
     -- The database was restored elsewhere, where transactions are counted anew.
     or state.awaited > pg_current_xact_id() then
    update scheduler_firing_counted
    set next_until = greatest(counted_until, now() - margin), awaited = pg_current_xact_id(), looked_at = clock_timestamp();
    return true;
  end if;
  if pg_snapshot_xmin(pg_current_snapshot()) < state.awaited then
    return false;
  end if;
  high := least(state.next_until, state.counted_until + interval '15 minutes');
  insert into scheduler_firing_count as c
    (grain, schedule, start, outcome, node, firings, failed, late_max, took_max, late, took)
  select grain, case when of_all then '' else m.schedule end, date_bin(grain * interval '1 second', m.start, 'epoch'),
         outcome, node, sum(firings), sum(failed), max(late_max), max(took_max), sum(late), sum(took)
  from scheduler_count_firings(state.counted_until, high) m,
       (values (60), (3600), (86400)) grains(grain), (values (true), (false)) sums(of_all)
  group by 1, 2, 3, 4, 5
  on conflict (grain, schedule, start, outcome, node) do update
  set firings = c.firings + excluded.firings, failed = c.failed + excluded.failed,
      late_max = greatest(c.late_max, excluded.late_max), took_max = greatest(c.took_max, excluded.took_max),
      late = coalesce(c.late + excluded.late, c.late, excluded.late), took = coalesce(c.took + excluded.took, c.took, excluded.took);
  update scheduler_firing_counted set counted_until = high;
  return true;
end $$;

create or replace function scheduler_firing_count_prune(minutes interval, hours interval) returns void language sql
  begin atomic
    delete from scheduler_firing_count where grain = 60 and start < now() - minutes;
    delete from scheduler_firing_count where grain in (3600, 86400) and start < now() - hours;
  end;

-- Nobody counts meanwhile: who does holds this row.
select from scheduler_firing_counted for update;
insert into scheduler_firing_count (grain, schedule, start, outcome, node, firings, failed, late_max, took_max, late, took)
select 86400, schedule, date_bin('1 day', start, 'epoch'), outcome, node, sum(firings), sum(failed), max(late_max), max(took_max),
       sum(late), sum(took)
from scheduler_firing_count where grain = 3600
group by 2, 3, 4, 5;
