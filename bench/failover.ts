/**
 * How long it takes until the runs of a node that is gone belong to somebody who can run them: the node holds a
 * hundred started runs and gets SIGKILL, or SIGSTOP; the time ends when the database has them all due again. And
 * how long from the request that runs a schedule by hand on one node to its start on another.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { Membership, sessionName } from '#cluster/index.ts';
import { openDatabase } from '#database/index.ts';
import { endLife } from '#scheduler/store/release-repository.ts';
import { startChild } from './support/child.ts';
import type { HolderTask } from './support/claim-holder.ts';
import { Latency } from './support/latency.ts';
import { createBenchDatabase, onServer } from './support/postgres.ts';
import { remark, report } from './support/row.ts';
import { fillScheduler } from './support/scheduler-load.ts';
import { call, createProject, startService } from './support/service.ts';

const BENCH = 'failover';
const quick = process.argv.includes('--quick');
const RUNS = 100;
const KILLS = quick ? 4 : 20;
const STOPS = quick ? 1 : 2;
const REQUESTS = quick ? 50 : 200;

await measureLostNodes();
await measureRunNow();

async function measureLostNodes(): Promise<void> {
  await using scope = new AsyncDisposableStack();
  const { url } = scope.use(await createBenchDatabase());
  await fillScheduler(url, RUNS);
  await onServer(url, 'truncate cluster_node restart identity cascade');
  const survivor = await Membership.identify(openOnce(scope, url), 'survivor');
  const database = openDatabase({ url, poolSize: 4, applicationName: sessionName(survivor) });
  scope.defer(() => database.close());
  const released: (() => void)[] = [];
  const membership = new Membership({
    database,
    sessionUrl: url,
    nodeName: 'survivor',
    nodeId: survivor,
    roles: ['worker'],
    observe: (said) => {
      if (said.kind === 'loop.failed') console.error(said.error);
    },
  });
  membership.onNodeLost(async (nodeId, epoch) => {
    const result = await endLife(database.db, { nodeId, epoch }, 'survivor');
    if (result.released > 0) released.shift()?.();
    return result.released;
  });
  await membership.start();
  scope.defer(() => membership.stop());

  const lose = async (signal: 'SIGKILL' | 'SIGSTOP', name: string): Promise<number> => {
    // Each take-over counts as an attempt of its runs, and after three a run is parked.
    await onServer(url, 'update scheduler_due set attempt = 1, due_at = clock_timestamp()');
    const child = await startChild<HolderTask, { pid: number; claimed: number }>('./claim-holder.ts', {
      BENCH_DATABASE_URL: url,
    });
    const { pid, claimed } = await child.ask({ name, claims: RUNS });
    if (claimed !== RUNS) throw new Error(`The node claimed ${claimed} of ${RUNS} runs`);
    // Until each of the two waits for the session of the other.
    await waitForLock(url);
    const done = new Promise<void>((resolve) => released.push(resolve));
    const startedAt = performance.now();
    process.kill(pid, signal);
    await done;
    const ms = performance.now() - startedAt;
    if (signal === 'SIGSTOP') process.kill(pid, 'SIGKILL');
    return ms;
  };
  const killed: number[] = [];
  for (let n = 0; n < KILLS; n++) killed.push(await lose('SIGKILL', `killed-${n}`));
  const stopped: number[] = [];
  for (let n = 0; n < STOPS; n++) stopped.push(await lose('SIGSTOP', `stopped-${n}`));
  const of = { bench: BENCH, unit: 'ms' };
  report({ ...of, quantity: `kill -9 until ${RUNS} runs are due again`, ours: killed, goal: { atMost: 50 } });
  report({ ...of, quantity: 'the same, the slowest', ours: [Math.max(...killed)], goal: { atMost: 50 } });
  remark(BENCH, `Kill by kill, in ms: ${killed.map((ms) => ms.toFixed(1)).join(' ')}`);
  report({
    ...of,
    quantity: `SIGSTOP until ${RUNS} runs are due again`,
    ours: stopped,
    goal: { atMost: 3_500 },
  });
}

function openOnce(scope: AsyncDisposableStack, url: string) {
  const database = openDatabase({ url, poolSize: 1 });
  scope.defer(() => database.close());
  return database.db;
}

async function waitForLock(url: string): Promise<void> {
  for (;;) {
    const [row] = await onServer<{ n: string }>(
      url,
      "select count(*) as n from pg_locks where locktype = 'advisory' and not granted",
    );
    if (Number(row!.n) > 1) return;
    await delay(20);
  }
}

/** The request goes to a node that runs nothing itself. */
async function measureRunNow(): Promise<void> {
  await using scope = new AsyncDisposableStack();
  const { url: databaseUrl } = scope.use(await createBenchDatabase());
  const project = scope.use(await createProject({ 'conf/managed.json': { objects: [] } }));
  const options = { databaseUrl, project: project.location };
  const door = scope.use(await startService({ ...options, name: 'door', environment: { SVC_ROLES: 'api' } }));
  scope.use(await startService({ ...options, name: 'worker' }));
  await call(door.url, 'PUT', 'scheduler/job/now', {
    schedule: '0 0 0 1 1 ?',
    timeZone: 'UTC',
    concurrentExecution: true,
    invokeService: 'script',
    invokeContext: { script: { type: 'text/javascript', source: 'null' } },
  });
  for (let n = 0; n < REQUESTS; n++) {
    await call(door.url, 'POST', 'scheduler/job/now?_action=trigger');
    await delay(10);
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const latency = new Latency();
  let found = 0;
  while (found < REQUESTS) {
    const { rows } = await client.query<{ ms: number }>(
      `select (extract(epoch from started_at - planned_at) * 1000)::float8 as ms from scheduler_firing
       where job_id = 'now'`,
    );
    found = rows.length;
    if (found === REQUESTS) for (const { ms } of rows) latency.add(ms);
    else await delay(100);
  }
  await client.end();
  const of = { bench: BENCH, unit: 'ms' };
  const quantity = 'run now: from the request’s transaction on one node to the start on another';
  report({ ...of, quantity: `${quantity}, p50`, ours: [latency.percentile(0.5)], goal: { atMost: 1.5 } });
  report({ ...of, quantity: `${quantity}, p99`, ours: [latency.percentile(0.99)] });
}
