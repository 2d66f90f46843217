import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { ALL_CHECKS } from './check/all-checks.ts';
import { countLookedAt, type Finding, findOffences } from './check/check.ts';
import { findLeaks, type Growth } from './gauges.ts';
import type { Ground } from './load/load.ts';
import { finishProcesses } from './load/processes.ts';
import type { SoakNode } from './node.ts';
import type { Aftermath } from './recovery.ts';

const FINISH_MS = 120_000;
const REST_MS = 30_000;
/** A session in the middle of a statement notices only at its end, or when it next writes, that its client has gone. */
const SESSIONS_END_MS = 30_000;

/** Lets everything that was begun come to its end, so that the checks find what is left over. */
export async function comeToRest(ground: Ground): Promise<void> {
  const { pool } = ground;
  const quietFrom = new Date();
  await Promise.all([
    finishProcesses(ground, Date.now() + FINISH_MS),
    waitFor(pool, FINISH_MS, `select 1 from scan_run where state not in ('COMPLETED', 'CANCELLED', 'ERROR')`),
    waitFor(
      pool,
      REST_MS,
      `select 1 from soak.schedule s where s.kind not in ('edited', 'once', 'herd') and not exists (
         select 1 from scheduler_firing f where f.job_id = s.id and f.ended_at > '${quietFrom.toISOString()}')`,
    ),
    // What fires once has to have fired before the clockwork is stopped.
    waitFor(
      pool,
      REST_MS,
      `select 1 from scheduler_job j where j.definition->>'type' = 'simple' and (
         exists (select 1 from scheduler_due d where d.trigger_id = j.trigger_id)
         or exists (select 1 from scheduler_run r where r.trigger_id = j.trigger_id))`,
    ),
  ]);
  await pool.query('update scheduler_setting set paused = true');
  await waitFor(pool, REST_MS, 'select 1 from scheduler_run');
  await waitFor(pool, REST_MS, 'select 1 from queue_claim');
  await waitFor(pool, REST_MS, `select 1 from svc_pgboss.job where state in ('active', 'retry')`);
}

/** Until the statement finds nothing, or the time is over: then the checks will say what is wrong. */
async function waitFor(pool: pg.Pool, ms: number, statement: string): Promise<void> {
  const deadline = Date.now() + ms;
  while (Date.now() < deadline) {
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
    // One moment for all: schedules in memory go on.
    await client.query('begin isolation level repeatable read');
    findings.push(...(await findOffences(client, ALL_CHECKS)));
    counts = await countLookedAt(client, ALL_CHECKS);
    await client.query('commit');
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
  await waitFor(pool, SESSIONS_END_MS, LEFT_BEHIND);
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

const LEFT_BEHIND = `
  select 'session' as what, pid, application_name, state, left(query, 80) as query from pg_stat_activity
  where datname = current_database() and application_name like 'svc%'
  union all
  select 'node', id, name, state, null from cluster_node where state <> 'down'`;
