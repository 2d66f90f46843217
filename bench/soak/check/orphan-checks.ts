import type { Check } from './check.ts';

const FIRED = 'select count(*) from scheduler_firing';
const JOBS = 'select count(*) from work_job';
const SESSIONS = 'select count(*) from pg_stat_activity where datname = current_database()';

/** Of a row and its entries in all indexes. */
const ROW_BYTES = 500;
/** A table that is changed often has some pages, however few rows it has. */
const LEAST_BYTES = 2_097_152;
/** Vacuum lets so many dead rows lie before it begins. */
const LEAST_DEAD = 5_000;

const CHECKS: readonly Check[] = [
  {
    name: 'no orphaned run',
    of: FIRED,
    promise: 'no firing is claimed when nothing runs',
    sql: `
      select r.*, n.name, n.epoch as epoch_now, n.state from scheduler_run r
      left join cluster_node n on n.id = r.node_id`,
  },
  {
    name: 'no orphaned firing',
    of: 'select count(*) from scheduler_due',
    promise: 'nothing waits for a schedule that is not there, or for an older version of it',
    sql: `
      select d.* from scheduler_due d
      where not exists (select 1 from scheduler_job j where j.trigger_id = d.trigger_id and j.generation = d.generation)`,
  },
  {
    name: 'no orphaned schedule',
    of: 'select count(*) from scheduler_job',
    promise: 'nothing is in the memory of a life that is over',
    sql: `
      select j.id, n.name, j.owner_epoch, n.epoch, n.state from scheduler_job j left join cluster_node n on n.id = j.owner_id
      where j.owner_id is not null and (n.epoch is distinct from j.owner_epoch or n.state = 'down')
      union all
      select 'due ' || d.trigger_id, n.name, d.owner_epoch, n.epoch, n.state
      from scheduler_due d left join cluster_node n on n.id = d.owner_id
      where d.owner_id is not null and (n.epoch is distinct from d.owner_epoch or n.state = 'down')`,
  },
  {
    name: 'no orphaned claim',
    of: JOBS,
    promise: 'no job is claimed when nothing runs',
    sql: `select j.*, n.name, n.state from work_job j left join cluster_node n on n.id = j.node_id where j.node_id is not null`,
  },
  {
    name: 'no orphaned job',
    of: JOBS,
    promise: 'no job of a queue runs or waits for a retry when everything is done',
    sql: `
      select queue, id, node_id, due_at, attempt, data from work_job
      where node_id is not null or attempt > 1 or due_at < now() - interval '10 seconds'`,
  },
  {
    name: 'no orphaned step',
    of: 'select count(*) from workflow_instance',
    promise: 'nothing of a process is left when it has ended',
    sql: `
      select 'job' as what, j.instance_id, j.element from workflow_job j
        left join workflow_instance i on i.id = j.instance_id
        where j.instance_id is not null and (i.id is null or i.ended_at is not null)
      union all
      select 'subscription', s.instance_id, s.element from workflow_subscription s
        left join workflow_instance i on i.id = s.instance_id
        where s.instance_id is not null and (i.id is null or i.ended_at is not null)
      union all
      select 'task', t.instance_id, t.element from workflow_task t
        join workflow_instance i on i.id = t.instance_id where t.ended_at is null and i.ended_at is not null
      union all
      select 'state', s.instance_id, null from workflow_state s
        join workflow_instance i on i.id = s.instance_id where i.ended_at is not null`,
  },
  {
    name: 'no orphaned slice',
    of: 'select count(*) from scan_run',
    promise: 'nothing of a scan is left to do when it has ended',
    sql: `select s.run_id, s.number, s.lane, s.position, r.state from scan_slice s join scan_run r on r.id = s.run_id`,
  },
  {
    name: 'no orphaned session',
    of: SESSIONS,
    promise: 'every session belongs to a node that lives, and none sits in a transaction',
    sql: `
      select a.pid, a.application_name, n.name, n.state as node_state, a.state, a.xact_start, left(a.query, 80) as query
      from pg_stat_activity a left join cluster_node n on a.application_name = 'svc:' || n.id
      where a.datname = current_database() and a.application_name like 'svc:%' and a.application_name <> 'svc:index-keeper'
        and (n.state is distinct from 'running' or a.state like 'idle in transaction%'
             and a.state_change < clock_timestamp() - interval '2 seconds')`,
  },
  {
    name: 'no orphaned lock',
    of: `select count(*) from pg_locks`,
    promise: 'no lock is held by a session that does nothing, other than the one by which a node lives',
    sql: `
      select l.locktype, l.relation::regclass, l.objid, l.mode, l.granted, a.application_name, a.state, left(a.query, 80) as query
      from pg_locks l join pg_stat_activity a using (pid)
      where a.datname = current_database() and a.application_name like 'svc%' and a.state <> 'active' and l.granted
        and l.locktype <> 'virtualxid'
        and not (l.locktype = 'advisory' and exists (
          select 1 from cluster_node n where n.id = l.objid::int and n.state = 'running'
          and a.application_name = 'svc:' || n.id))
        and a.state_change < clock_timestamp() - interval '2 seconds'`,
  },
  {
    name: 'half recovered',
    of: 'select sum(epoch) from cluster_node',
    promise: 'every recovery of a node that was lost came to its end',
    sql: `
      select name, state, epoch, recovery from cluster_node
      where state = 'down' and recovery is not null and not recovery ? 'recoveryFinished'`,
  },
  {
    name: 'sizes',
    of: 'select count(*) from soak.peak',
    promise: 'a table takes at most twice what its rows needed when there were most of them',
    sql: `
      select p.name, p.rows as most_rows, pg_total_relation_size(p.name::regclass) as bytes, s.n_dead_tup as dead
      from soak.peak p left join pg_stat_user_tables s on s.relname = p.name and s.schemaname = 'public'
      where pg_total_relation_size(p.name::regclass) > 2 * (p.rows * ${ROW_BYTES} + ${LEAST_BYTES})
         or s.n_dead_tup > 2 * (p.rows + ${LEAST_DEAD})`,
  },
];

/** What must be left of nothing once the cluster is at rest: schedules paused, all work done. */
export const ORPHAN_CHECKS: readonly Check[] = CHECKS.map((check) => ({ ...check, settles: true }));
