-- compatible

-- How many firings there were, and how late and long they were, by the minute and by the hour. One node at a time adds
-- what the ledger got meanwhile; a firing costs nothing for it. Whoever asks adds what is in the ledger since, so that the
-- counts are right at any time.

-- Spans of time are tallied, not kept. A tally is a number with twelve digits for each span, so that plus and sum add
-- tallies: the last twelve count what took less than a millisecond, each further ones what took up to 1.2 times as long. A
-- percentile that is read off is right within a tenth.
create function scheduler_tally(ms double precision) returns numeric language sql immutable strict parallel safe
  return ('1e' || 12 * case when ms < 1 then 0 else least(1 + floor(ln(ms) / ln(1.2)), 120)::int end)::numeric;
comment on function scheduler_tally is 'The tally of one span of so many milliseconds; null for null';

create table scheduler_firing_count (
  grain    int not null check (grain in (60, 3600)),
  schedule text collate "C" not null,
  start    timestamptz not null,
  outcome  text not null,
  node     text not null,
  firings  bigint not null,
  failed   bigint not null,
  late_max double precision,
  took_max double precision,
  late     numeric,
  took     numeric,
  primary key (grain, schedule, start, outcome, node)
) with (fillfactor = 80);
create index scheduler_firing_count_start on scheduler_firing_count (grain, start) where schedule <> '';
comment on table scheduler_firing_count is
  'Firings by their planned time, counted. They stay when the ledger is pruned';
comment on column scheduler_firing_count.grain is 'Seconds: a minute or an hour, in UTC';
comment on column scheduler_firing_count.schedule is 'Empty for all schedules together';
comment on column scheduler_firing_count.late is 'The tally (scheduler_tally) of how late they were';
comment on column scheduler_firing_count.took is 'The same of how long they took, as far as they began';

-- What was written to the ledger before counted_until is in the counts, and nothing else is. The next limit lies some
-- seconds back, and holds as soon as every transaction is over that had begun to write before the one that set it
-- (awaited): nothing can come behind it any more.
create table scheduler_firing_counted (
  single        boolean primary key default true check (single),
  counted_until timestamptz not null,
  next_until    timestamptz,
  awaited       xid8,
  looked_at     timestamptz not null default 'epoch'
);
comment on table scheduler_firing_counted is 'One row: how far the ledger is counted, by the time at which its entries were written';
insert into scheduler_firing_counted (counted_until)
select coalesce(min(ended_at), clock_timestamp()) from scheduler_firing;

-- The ledger is written in the order of this time, so that an index of its blocks is enough, which costs a firing nothing.
create index scheduler_firing_ended on scheduler_firing using brin (ended_at) with (pages_per_range = 32, autosummarize = on);

create function scheduler_count_firings(low timestamptz, high timestamptz, planned_from timestamptz default '-infinity',
                                        planned_to timestamptz default 'infinity')
  returns table (start timestamptz, schedule text, outcome text, node text, firings bigint, failed bigint,
                 late_max double precision, took_max double precision, late numeric, took numeric)
  language sql stable as $$
    select date_bin('1 minute', planned_at, 'epoch'), job_id, outcome, node, count(*), count(error), max(late_ms), max(took_ms),
           sum(scheduler_tally(late_ms)), sum(scheduler_tally(took_ms))
    from (select *, (extract(epoch from ended_at - started_at) * 1000)::float8 as took_ms
          from scheduler_firing
          where ended_at >= low and ended_at < high and planned_at >= planned_from and planned_at < planned_to) f
    group by 1, 2, 3, 4
  $$;
comment on function scheduler_count_firings is
  'Counts by the minute what was written to the ledger from one time until before another, of these planned times';

-- A quarter of an hour at once, so that what was never counted is no single transaction.
create function scheduler_roll_firings(every interval default '20 seconds', margin interval default '5 seconds')
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
       (values (60), (3600)) grains(grain), (values (true), (false)) sums(of_all)
  group by 1, 2, 3, 4, 5
  on conflict (grain, schedule, start, outcome, node) do update
  set firings = c.firings + excluded.firings, failed = c.failed + excluded.failed,
      late_max = greatest(c.late_max, excluded.late_max), took_max = greatest(c.took_max, excluded.took_max),
      late = coalesce(c.late + excluded.late, c.late, excluded.late), took = coalesce(c.took + excluded.took, c.took, excluded.took);
  update scheduler_firing_counted set counted_until = high;
  return true;
end $$;
comment on function scheduler_roll_firings is
  'Counts what the ledger got since the last time; true when there may be more to do at once. Another node that does so is not waited for';

create function scheduler_firing_count_prune(minutes interval, hours interval) returns void language sql
  begin atomic
    delete from scheduler_firing_count where grain = 60 and start < now() - minutes;
    delete from scheduler_firing_count where grain = 3600 and start < now() - hours;
  end;
comment on function scheduler_firing_count_prune is 'Forgets counts that are older than is kept';
