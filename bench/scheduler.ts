/**
 * The scheduler by itself: poller, claim, start, completion in batches and ledger, with a native service that does
 * nothing, in one, two and four processes. Next to pgbench, which claims and completes the same triggers with
 * the same claim statement but without the start of each run; next to graphile-worker and pg-boss with no-op jobs,
 * which are one-shot; and next to itself while another session holds a snapshot, and with a thousand triggers in
 * place of a million. Lateness is that of firings that are due one after the other.
 */
import { makeWorkerUtils } from 'graphile-worker';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { type Child, startChild } from './support/child.ts';
import type { PeerTask } from './support/graphile-node.ts';
import { findPgbench, runPgbench } from './support/pgbench.ts';
import { createBenchDatabase, onServer } from './support/postgres.ts';
import { compare, remark, report } from './support/row.ts';
import {
  checkTriggers,
  claimScript,
  countFirings,
  fillScheduler,
  SLACK_MS,
  settle,
} from './support/scheduler-load.ts';
import type { NodeResult, NodeTask } from './support/scheduler-node.ts';

const BENCH = 'scheduler';
const quick = process.argv.includes('--quick');
const TRIGGERS = quick ? 20_000 : 200_000;
const ROUNDS = quick ? 1 : 3;
const MS = quick ? 2_000 : 4_000;
const THREADS = 1_000;
const PROCESSES = quick ? [1, 4] : [1, 2, 4];
const LATENESS_RATES = quick ? [100, 2_000] : [100, 2_000, 10_000];
const PEER_JOBS = quick ? 60_000 : 250_000;

await using scope = new AsyncDisposableStack();
const { url } = scope.use(await createBenchDatabase());
const nodes: Child<NodeTask, NodeResult>[] = [];
for (let n = 0; n < Math.max(...PROCESSES); n++) {
  nodes.push(scope.use(await startChild('./scheduler-node.ts', { BENCH_DATABASE_URL: url })));
}
if (findPgbench() === undefined) remark(BENCH, 'pgbench is not on the PATH, so it is not compared with');

const most = await measureThroughput();
await measurePeers(most);
await measureHeldSnapshot();
await measureGrowth();
for (const perSecond of LATENESS_RATES) await measureLateness(perSecond);
await measureIdle();

/** Triggers that are due every hour since the year 2000, and fire as often as somebody gets to it. */
async function fill(triggers: number): Promise<void> {
  await fillScheduler(url, triggers);
  await onServer(
    url,
    `update scheduler_job set definition = definition || '{"type": "cron", "schedule": "0 0 * * * ?", "timeZone": "UTC"}'`,
  );
  await onServer(url, 'vacuum analyze scheduler_job');
}

async function firedByUs(processes: number): Promise<number> {
  await settle(url);
  const before = await countFirings(url);
  const startedAt = performance.now();
  await Promise.all(
    nodes.slice(0, processes).map((node, n) => node.ask({ nodeId: n + 1, ms: MS, threadCount: THREADS })),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  return ((await countFirings(url)) - before) / seconds;
}

async function firedByPgbench(clients: number): Promise<number> {
  await settle(url);
  const before = await countFirings(url);
  const { seconds } = await runPgbench({
    url,
    script: await claimScript('complete-with-ledger'),
    clients,
    seconds: Math.ceil(MS / 1000),
    variables: { batch: 500, watermark: Date.now() - SLACK_MS },
  });
  return ((await countFirings(url)) - before) / seconds;
}

async function measureThroughput(): Promise<number> {
  await fill(TRIGGERS);
  let last = 0;
  for (const processes of PROCESSES) {
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(await firedByUs(processes));
      if (findPgbench() !== undefined) theirs.push(await firedByPgbench(processes));
    }
    const measured = {
      bench: BENCH,
      quantity: `no-op native service, ${processes} ${processes === 1 ? 'process' : 'processes'}`,
      unit: 'firings/s',
      ours,
      goal: { atLeast: 0.75 },
    };
    if (theirs.length > 0) compare(measured, 'pgbench, claim and completion', theirs);
    else report({ ...measured, goal: { atLeast: 0 } });
    last = Math.max(...ours);
  }
  await checkTriggers(url, TRIGGERS);
  return last;
}

async function measurePeers(ours: number): Promise<void> {
  const processes = Math.max(...PROCESSES);
  const quantity = `no-op jobs, ${processes} processes`;
  const graphile = await measurePeer('./graphile-node.ts', processes, async (peerUrl) => {
    const utils = await makeWorkerUtils({ connectionString: peerUrl });
    await utils.migrate();
    await onServer(
      peerUrl,
      `select count(*) from graphile_worker.add_jobs(array(
         select row('none', '{}', null, null, null, null, null, null)::graphile_worker.job_spec
         from generate_series(1, ${PEER_JOBS})))`,
    );
    await utils.release();
  });
  compare(
    { bench: BENCH, quantity, unit: 'firings/s', ours: [ours], goal: { atLeast: 1.5 } },
    'graphile-worker',
    [graphile],
  );
  const boss = await measurePeer('./boss-node.ts', processes, async (peerUrl) => {
    const setUp = new PgBoss({ connectionString: peerUrl, supervise: false, schedule: false });
    await setUp.start();
    await setUp.createQueue('none');
    for (let left = PEER_JOBS; left > 0; left -= 10_000) {
      await setUp.insert(
        'none',
        Array.from({ length: Math.min(left, 10_000) }, () => ({ data: {} })),
      );
    }
    await setUp.stop({ graceful: false });
  });
  compare(
    { bench: BENCH, quantity, unit: 'firings/s', ours: [ours], goal: { atLeast: 3 } },
    'pg-boss, batch 1000',
    [boss],
  );
}

/** @returns jobs a second, all processes together */
async function measurePeer(
  file: string,
  processes: number,
  prepare: (peerUrl: string) => Promise<void>,
): Promise<number> {
  await using own = new AsyncDisposableStack();
  const { url: peerUrl } = own.use(await createBenchDatabase());
  await prepare(peerUrl);
  const peers: Child<PeerTask, { done: number }>[] = [];
  for (let n = 0; n < processes; n++) {
    peers.push(own.use(await startChild(file, { BENCH_DATABASE_URL: peerUrl })));
  }
  const results = await Promise.all(peers.map((peer) => peer.ask({ ms: MS })));
  const done = results.reduce((sum, result) => sum + result.done, 0);
  if (done >= PEER_JOBS) remark(BENCH, `${file} ran out of its ${PEER_JOBS} jobs: its rate is a lower bound`);
  return done / (MS / 1000);
}

async function measureHeldSnapshot(): Promise<void> {
  await fill(TRIGGERS);
  const processes = Math.min(2, nodes.length);
  const free: number[] = [];
  const held: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    free.push(await firedByUs(processes));
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query('begin isolation level repeatable read; select count(*) from scheduler_setting');
    // Long enough for dead rows to gather in front of the claims.
    for (let n = 0; n < (quick ? 2 : 4); n++) held.push(await firedByUs(processes));
    await holder.end();
  }
  const last = held.slice(-free.length);
  compare(
    {
      bench: BENCH,
      quantity: 'while another session holds a snapshot',
      unit: 'firings/s',
      ours: last,
      goal: { atLeast: 0.9 },
    },
    'ours without',
    free,
  );
}

async function measureGrowth(): Promise<void> {
  const many = quick ? 100_000 : 1_000_000;
  await fill(many);
  const large = await firedByUs(nodes.length);
  await checkTriggers(url, many);
  await fill(1_000);
  const small = await firedByUs(nodes.length);
  await checkTriggers(url, 1_000);
  compare(
    { bench: BENCH, quantity: `${many} triggers`, unit: 'firings/s', ours: [large], goal: { atLeast: 0.83 } },
    'ours with 1000',
    [small],
  );
}

async function measureLateness(perSecond: number): Promise<void> {
  const seconds = 4;
  const count = perSecond * seconds;
  const leadMs = 2_000;
  await fillScheduler(url, count);
  await onServer(
    url,
    `update scheduler_due d set due_at = n.at, fire_at = n.at
     from (select trigger_id, date_trunc('milliseconds', clock_timestamp())
                    + ($1 + floor(row_number() over () * 1000.0 / $2)) * interval '1 ms' as at
           from scheduler_due) n
     where d.trigger_id = n.trigger_id`,
    [leadMs + 3_000, perSecond],
  );
  await onServer(url, 'vacuum analyze scheduler_due');
  const results = await Promise.all(
    nodes
      .slice(0, 2)
      .map((node, n) =>
        node.ask({ nodeId: n + 1, ms: leadMs + 3_000 + seconds * 1_000 + 1_500, threadCount: THREADS }),
      ),
  );
  const fired = results.reduce((sum, result) => sum + result.fired, 0);
  if (fired !== count) throw new Error(`Of ${count} firings ${fired} ran`);
  const lateness = { bench: BENCH, unit: 'ms' };
  const quantity = `${perSecond} firings a second on 2 processes, lateness`;
  report({
    ...lateness,
    quantity: `${quantity} p50`,
    ours: results.map((each) => each.p50Ms),
    goal: { atMost: 1 },
  });
  report({
    ...lateness,
    quantity: `${quantity} p99`,
    ours: results.map((each) => each.p99Ms),
    goal: { atMost: 10 },
  });
  const earliest = Math.min(...results.map((each) => each.earliestMs));
  if (earliest < 0) throw new Error(`A firing was ${-earliest} ms early`);
}

async function measureIdle(): Promise<void> {
  const many = quick ? 100_000 : 1_000_000;
  await fillScheduler(url, many);
  await onServer(
    url,
    "update scheduler_due set due_at = now() + interval '1 day', fire_at = now() + interval '1 day'",
  );
  await onServer(url, 'vacuum analyze scheduler_due');
  const ms = 10_000;
  const { cpuMs } = await nodes[0]!.ask({ nodeId: 1, ms, threadCount: THREADS });
  report({
    bench: BENCH,
    quantity: `idle node with ${many} schedules: CPU`,
    unit: '%',
    ours: [(100 * cpuMs) / ms],
  });
}
