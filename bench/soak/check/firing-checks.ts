import type { Check } from './check.ts';

/** A ledger row that says that the service ran, and ran well. */
const RAN = `f.started_at is not null and f.error is null and f.outcome not in ('lost', 'skipped')`;

/** Who wrote the mark `e`. */
const WRITER = `json_build_object('session', e.session, 'pid', e.pid, 'xid', e.xid, 'begun_at', e.begun_at,
                                  'entered_at', e.entered_at, 'left_at', e.left_at)`;

/** The marks of each planned time. */
const MARKS = `
  select e.data->>'job' as job, (e.data->>'planned')::timestamptz as planned_at, count(*) as marks,
         json_agg(${WRITER} order by e.entered_at) as writers
  from soak.effect e where e.data ? 'job' group by 1, 2`;

/** The ledger, each planned time of a schedule; in memory each node has its own. */
const FIRINGS = `
  select f.job_id as job, f.planned_at, count(*) as firings, count(*) filter (where ${RAN}) as ran,
         string_agg(distinct f.outcome || case when f.error is null then '' else ' failed' end, ', ') as outcomes,
         string_agg(distinct f.node, ', ') as nodes, max(f.attempt) as attempt
  from scheduler_firing f group by 1, 2`;

/** After a fail-over so many runs of a schedule may have been planned by the clock of the server before; clocks are compared with themselves. */
const PLANNED_AHEAD = 5;

const FIRED = 'select count(*) from scheduler_firing';

/** Of no row when each schedule has fired since the load ended. */
export const FIRES_ON: Check = {
  name: 'no stop',
  of: 'select count(*) from soak.schedule',
  promise: 'each schedule still fires when the faults and the load have ended',
  sql: `
    select s.id as job, max(f.ended_at) as last, max(q.at) as quiet_from
    from soak.quiet q cross join soak.schedule s left join scheduler_firing f on f.job_id = s.id
    where s.kind not in ('edited', 'once', 'herd')
      and not exists (select 1 from scheduler_job j where j.id = s.id and j.parked is not null)
    group by 1 having coalesce(max(f.ended_at), '-infinity') < max(q.at)`,
};

export const FIRING_CHECKS: readonly Check[] = [
  {
    name: 'effects',
    of: FIRED,
    promise: 'a run inside a transaction left its effects exactly if the ledger says that it ran well',
    sql: `
      select coalesce(f.job, m.job) as job, coalesce(f.planned_at, m.planned_at) as planned_at,
             coalesce(f.ran, 0) as ran, coalesce(m.marks, 0) as marks, f.outcomes, f.nodes, f.attempt, m.writers
      from (${FIRINGS}) f full join (${MARKS}) m on m.job = f.job and m.planned_at = f.planned_at
      join soak.schedule s on s.id = coalesce(f.job, m.job) and s.kind not in ('loose', 'recoverable', 'herd')
      where coalesce(f.ran, 0) <> coalesce(m.marks, 0)`,
  },
  {
    name: 'one transaction',
    of: `select count(*) from soak.effect where data ? 'job'`,
    promise:
      'what a run inside a transaction left was committed by the transaction that entered it into the ledger',
    sql: `
      select e.data->>'job' as job, e.data->>'planned' as planned_at, ${WRITER} as writer
      from soak.effect e join soak.schedule s on s.id = e.data->>'job' and s.kind not in ('loose', 'recoverable', 'herd')
      where not exists (
        select from scheduler_firing f
        where f.job_id = s.id and f.planned_at = (e.data->>'planned')::timestamptz and f.xmin = e.xid::xid)`,
  },
  {
    name: 'runs outside transactions',
    of: FIRED,
    promise:
      'a run outside a transaction that the ledger calls well left its effects; only a recoverable schedule ran again',
    sql: `
      select s.id as job, s.kind, coalesce(f.planned_at, m.planned_at) as planned_at, f.outcomes, f.ran, m.marks
      from (${FIRINGS}) f full join (${MARKS}) m on m.job = f.job and m.planned_at = f.planned_at
      join soak.schedule s on s.id = coalesce(f.job, m.job) and s.kind in ('loose', 'recoverable')
      where f.ran > coalesce(m.marks, 0) or s.kind = 'loose' and m.marks > 1
         -- What made up for missed times and is lost with its node, or done again by another, stands in the ledger for the first of those.
         or f.job is null and not exists (
              select from scheduler_firing l
              where l.job_id = m.job and (l.outcome = 'lost' or l.outcome = 'recovered' and s.kind = 'recoverable')
                and m.planned_at between l.planned_at and l.ended_at)`,
  },
  {
    name: 'no gap',
    of: FIRED,
    // Of what a long outage lets pass the ledger lists a hundred, and says that there is more.
    promise: 'each planned time ended in the ledger, and only once',
    sql: `
      with span as (
        select job_id, min(planned_at) as low, max(planned_at) as high
        from scheduler_firing f join soak.schedule s on s.id = f.job_id and s.kind not in ('edited', 'once', 'local', 'herd')
        where date_trunc('second', planned_at) = planned_at group by 1)
      select span.job_id, t.at as planned_at, count(f.planned_at) as rows
      from span cross join lateral generate_series(low, high, interval '1 second') as t(at)
      left join scheduler_firing f on f.job_id = span.job_id and f.planned_at = t.at
      group by 1, 2 having count(f.planned_at) > 1 or count(f.planned_at) = 0 and not coalesce((
        select c.why like '%further missed times are not listed' from scheduler_firing c
        where c.job_id = span.job_id and c.planned_at < t.at and date_trunc('second', c.planned_at) = c.planned_at
        order by c.planned_at desc limit 1), false)`,
  },
  FIRES_ON,
  {
    name: 'never early',
    of: `select count(*) from soak.effect where data ? 'job'`,
    promise: 'nothing fires before its time by the clock of the database',
    sql: `
      select e.data->>'job' as job, e.data->>'planned' as planned_at, e.entered_at, e.session
      from (select *, lag(server, ${PLANNED_AHEAD}, server) over (partition by data->>'job' order by xid, entered_at) as planned_by
            from soak.effect) e
      join soak.schedule s on s.id = e.data->>'job' and s.kind not in ('local', 'once', 'herd')
      where e.entered_at < (e.data->>'planned')::timestamptz and e.server is not distinct from e.planned_by`,
  },
  {
    name: 'no overlap',
    of: `select count(*) from soak.effect where data ? 'job'`,
    promise: 'two runs of a schedule without concurrent execution never ran at the same time',
    sql: `
      select a.data->>'job' as job, a.data->>'planned' as one, b.data->>'planned' as other,
             a.entered_at, a.left_at, b.entered_at as other_entered_at, b.left_at as other_left_at
      from soak.effect a
      join soak.schedule s on s.id = a.data->>'job' and s.kind in ('exact', 'edited')
      join soak.effect b on b.data->>'job' = a.data->>'job' and b.mark > a.mark
       and a.data->'version' = b.data->'version' and a.server is not distinct from b.server
       and a.entered_at < b.left_at and b.entered_at < a.left_at`,
  },
  {
    name: 'one place',
    of: 'select count(*) from scheduler_job',
    promise: 'a schedule that goes on waits once or runs once, and is not there twice',
    sql: `
      select j.id, j.generation, count(d.*) as waiting, (select count(*) from scheduler_run r
             where r.trigger_id = j.trigger_id) as running
      from scheduler_job j
      left join scheduler_due d on d.trigger_id = j.trigger_id and d.generation = j.generation and d.kind <> 'manual'
      where j.parked is null and j.definition->>'type' = 'cron'
      group by j.trigger_id, j.id, j.generation
      having count(d.*) + (select count(*) from scheduler_run r where r.trigger_id = j.trigger_id) <> 1`,
  },
  {
    name: 'not parked',
    of: 'select count(*) from scheduler_job',
    promise:
      'a schedule is given up only when its run may have ended three nodes or threads, or was interrupted ten times',
    sql: `
      select id, parked from scheduler_job
      where parked is not null and coalesce((parked->>'suspected')::int, 0) < 3
        and coalesce((parked->>'attempts')::int, 0) < 10`,
  },
  {
    name: 'bounded repeats',
    of: FIRED,
    promise: 'no more runs were begun again than nodes and threads were lost while they had slots',
    sql: `
      select sum(attempt - 1) as repeats, (select sum(epoch) from cluster_node) as lives
      from scheduler_firing having sum(attempt - 1) > (select sum(epoch) from cluster_node) * 20`,
  },
  {
    name: 'many nodes',
    of: 'select count(*) from soak.crowd',
    promise:
      'of many nodes that start at once each joins, hears notices, fires, and opens no more sessions than it may',
    sql: `select * from soak.crowd where not joined or not listens or fired = 0 or most_sessions > budget`,
  },
  {
    name: 'poison',
    of: 'select count(*) from soak.poison',
    promise: 'what kills its node each time is given up after three of them, and nothing of it is stored',
    sql: `
      select kind, key, gave_up, deaths from soak.poison where not gave_up or deaths not between 3 and 10
      union all
      select 'mark', id, null, null from managed_object where data->>'poison' = 'deadly'
      union all
      select 'bystander', id, null, null from scheduler_job j
      where (parked->>'suspected')::int >= 3 and exists (select from soak.poison) and id not in (select key from soak.poison)
      union all
      select 'bystander of ' || queue, job_id::text, null, null from svc_dead_letter d
      where detail->'detail'->>'id' = 'QUEUE_POISON'
        and not exists (select from workflow_instance i
                        where i.id::text = d.data->>'instance' and i.definition_key = 'poison')
      union all
      select 'bystander of a scan', e.object, null, null from scan_error e
      where e.error->'detail'->>'id' = 'SCAN_POISON' and not exists (
        select from managed_object o
        where o.type = 'item' and e.object = 'managed/item/' || o.id and (o.data->>'deadly')::boolean)`,
  },
];
