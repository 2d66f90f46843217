import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { ALL_CHECKS } from './check/all-checks.ts';
import { countLookedAt, type Finding, findOffences } from './check/check.ts';
import { FIRES_ON } from './check/firing-checks.ts';
import { findLeaks, type Growth } from './gauges.ts';
import type { Ground } from './load/load.ts';
import { finishProcesses } from './load/processes.ts';
import type { SoakNode } from './node.ts';
import type { Aftermath } from './recovery.ts';

/** How slow a machine is, is no finding: so long everything that was begun may take to end. */
const REST_MS = 600_000;
/** So long that which is left over may take to go, as by a take-over or a timeout of Postgres. */
const SETTLE_MS = 180_000;

const OPEN_SCANS = `select from scan_run where state not in ('COMPLETED', 'CANCELLED', 'ERROR')`;
const OPEN_ONCE = `
  select from scheduler_job j where j.definition->>'type' = 'simple' and j.parked is null and (
    exists (select from scheduler_due d where d.trigger_id = j.trigger_id)
    or exists (select from scheduler_run r where r.trigger_id = j.trigger_id))`;
/** A claim that was on its way when the schedules were paused knows nothing of it, and may be made yet. */
const olderThan = (at: string) => `
  select from pg_stat_activity where datname = current_database() and application_name like 'svc%'
    and xact_start < '${at}'`;
const OPEN_JOBS = `
  select from work_job where node_id is not null or attempt > 1 or due_at < now()`;
const LEFT_BEHIND = `
  select 'session' as what, pid, application_name, state, left(query, 80) as query from pg_stat_activity
  where datname = current_database() and application_name like 'svc%'
  union all
  select 'node', id, name, state, null from cluster_node where state <> 'down'`;

/** Lets everything that was begun come to its end, so that the checks find what is left over. */
export async function comeToRest(ground: Ground): Promise<void> {
  const { pool } = ground;
  const until = Date.now() + REST_MS;
  await pool.query('insert into soak.quiet values (clock_timestamp())');
  await Promise.all([
    finishProcesses(ground, until),
    waitFor(pool, until, OPEN_SCANS),
    waitFor(pool, until, FIRES_ON.sql),
    // What fires once has to have fired before the clockwork is stopped.
    waitFor(pool, until, OPEN_ONCE),
  ]);
  await pool.query('update scheduler_setting set paused = true');
  const { rows } = await pool.query<{ at: string }>('select clock_timestamp()::text as at');
  await waitFor(pool, until, olderThan(rows[0]!.at));
  for (const open of ['select from scheduler_run', OPEN_JOBS]) {
    await waitFor(pool, until, open);
  }
}

/** Until the statement finds nothing, or the time is over: then the checks will say what is wrong. */
async function waitFor(pool: pg.Pool, untilMs: number, statement: string): Promise<void> {
  while (Date.now() < untilMs) {
    const { rowCount } = await pool.query(`${statement} limit 1`);
    if (rowCount === 0) return;
    await delay(100);
  }
}

/** All that is broken, empty when every promise was kept; and how much each check has looked at. */
export async function judge(given: {
  ground: Ground;
  aftermaths: readonly Aftermath[];
  growth: readonly Growth[];
}): Promise<{ readonly findings: Finding[]; readonly counts: ReadonlyMap<string, number> }> {
  const { ground, aftermaths, growth } = given;
  const { nodes, journal, pool } = ground;
  const findings: Finding[] = [];
  const found = (check: string, promise: string, rows: readonly Record<string, unknown>[]) => {
    if (rows.length > 0) findings.push({ check, promise, rows });
  };
  findings.push(...(await findLeaks(nodes)));
  let counts: ReadonlyMap<string, number>;
  const client = await pool.connect();
  try {
    await journal.store(client);
    findings.push(...(await findOffences(client, ALL_CHECKS, Date.now() + SETTLE_MS)));
    counts = await countLookedAt(client, ALL_CHECKS);
  } finally {
    client.release();
  }
  found(
    'recovery',
    'after each fault every schedule fires and every node answers again',
    aftermaths
      .filter(({ firingMs, answeringMs }) => firingMs === null || answeringMs === null)
      .map(({ fault, target, since, firingMs, answeringMs }) => ({
        fault: fault.name,
        target,
        at: new Date(since),
        firingMs,
        answeringMs,
      })),
  );
  found(
    'reads',
    'every node shows what any node has acknowledged',
    journal.wrongReads.map((read) => ({ read })),
  );
  found(
    'answers',
    'every request is answered',
    journal.timeouts.map(({ deed, key, node, answered }) => ({
      deed,
      key,
      node,
      askedAt: new Date(answered.askedAt),
    })),
  );
  found(
    'no exit',
    'no node ends that was not told to',
    nodes.flatMap(({ unexpectedEnds }) => [...unexpectedEnds]) as never,
  );
  found('memory', 'no node grows after its warm-up', growth.filter(({ isTooMuch }) => isTooMuch) as never);
  return { findings, counts };
}

/** Stops all nodes. @returns what they left behind, once Postgres has had time to end the sessions of a process that has gone */
export async function stopAll(nodes: readonly SoakNode[], pool: pg.Pool): Promise<Finding[]> {
  const ends = await Promise.all(
    nodes.map(async (node) => ({ node: node.name, how: await node.terminate() })),
  );
  // What a firewall has forgotten, Postgres finds by its keep-alives.
  for (const { proxy } of nodes) proxy.endAll('reset');
  const unclean = ends.filter(({ how }) => how !== 0);
  await waitFor(pool, Date.now() + SETTLE_MS, LEFT_BEHIND);
  const { rows } = await pool.query(LEFT_BEHIND);
  if (rows.length + unclean.length === 0) return [];
  return [
    {
      check: 'clean stop',
      promise: 'a cluster that was told to stop leaves no session',
      rows: [...unclean, ...rows],
    },
  ];
}
