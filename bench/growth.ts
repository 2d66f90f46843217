/**
 * What an operation costs as data grows: nodes on databases with a thousand to a million users, audit entries, schedules,
 * firings, process instances and tasks, asked in turn. And what a firing costs as processes grow. The measure is CPU
 * time, so other work on the machine disturbs it little. A cost that grows with the logarithm of the data doubles from a
 * thousand to a million; what grows more misses its goal.
 */
import pg from 'pg';
import { type Child, startChild } from './support/child.ts';
import { databaseCpu } from './support/database-cpu.ts';
import { type GrowthSite, openSite } from './support/growth-site.ts';
import { createBenchDatabase, onServer, shareBenchServer } from './support/postgres.ts';
import { compare, remark } from './support/row.ts';
import { fillScheduler, settle } from './support/scheduler-load.ts';
import type { NodeResult, NodeTask } from './support/scheduler-node.ts';
import { createProject } from './support/service.ts';
import { isQuick } from './support/settings.ts';
import { USER_TYPE } from './support/users.ts';

const BENCH = 'growth';
const SIZES = isQuick ? [1_000, 10_000] : [1_000, 10_000, 100_000, 1_000_000];
const ROUNDS = 3;
const TIMES = isQuick ? 5 : 15;
const PROCESSES = isQuick ? [1, 4] : [1, 2, 4, 8];
const TRIGGERS = isQuick ? 10_000 : 100_000;
const FIRING_MS = isQuick ? 1_000 : 1_500;
/** Twice the cost with a thousand times the data, or with eight times the processes. */
const GOAL = { atLeast: 0.5 };

await using servers = new AsyncDisposableStack();
await shareBenchServer(servers);
await measureData();
await measureProcesses();

async function measureData(): Promise<void> {
  await using scope = new AsyncDisposableStack();
  const observer = await observe(scope);
  const project = scope.use(await createProject(USER_TYPE));
  const opened = await Promise.allSettled(SIZES.map((size) => openSite(scope, project.location, size)));
  const sites = opened.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
  for (const operation of Object.keys(sites[0]!.operations))
    await measureOperation(observer, sites, operation);
}

async function measureOperation(
  observer: pg.Client,
  sites: readonly GrowthSite[],
  operation: string,
): Promise<void> {
  const costs = sites.map(() => [] as number[]);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [index, { database, operations }] of sites.entries()) {
      const { microseconds } = await databaseCpu(observer, database, async () => {
        for (let n = 0; n < TIMES; n++) await operations[operation]!();
      });
      // In the first round plans and caches are made.
      if (round > 0) costs[index]!.push(microseconds / TIMES);
    }
  }
  const quantity = `${operation}, with ${SIZES.at(-1)!.toLocaleString('en')}: CPU of Postgres`;
  const row = { bench: BENCH, quantity, unit: 'µs', ours: costs.at(-1)!, lessIsBetter: true, goal: GOAL };
  compare(row, `with ${SIZES[0]!.toLocaleString('en')}`, costs[0]!);
  const each = costs.map(
    (cost, index) => `${SIZES[index]!.toLocaleString('en')}: ${Math.round(middle(cost))} µs`,
  );
  remark(BENCH, `${operation}: ${each.join(', ')}`);
}

/** Firings of a service that does nothing, with all CPU that nodes and Postgres have spent on them. */
async function measureProcesses(): Promise<void> {
  await using scope = new AsyncDisposableStack();
  const observer = await observe(scope);
  const { url } = scope.use(await createBenchDatabase());
  await fillScheduler(url, TRIGGERS);
  await onServer(
    url,
    `update scheduler_job set definition = definition || '{"type": "cron", "schedule": "0 0 * * * ?", "timeZone": "UTC"}'`,
  );
  await onServer(url, 'vacuum analyze scheduler_job');
  const nodes: Child<NodeTask, NodeResult>[] = [];
  while (nodes.length < Math.max(...PROCESSES)) {
    nodes.push(scope.use(await startChild('./scheduler-node.ts', { BENCH_DATABASE_URL: url })));
  }
  const costs = PROCESSES.map(() => [] as number[]);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [index, count] of PROCESSES.entries()) {
      await settle(url);
      const tasks = { ms: round === 0 ? 500 : FIRING_MS, threadCount: 500 };
      const { result, microseconds } = await databaseCpu(observer, new URL(url).pathname.slice(1), () =>
        Promise.all(nodes.slice(0, count).map((node, n) => node.ask({ ...tasks, nodeId: n + 1 }))),
      );
      const fired = result.reduce((sum, node) => sum + node.fired, 0);
      const own = result.reduce((sum, node) => sum + node.cpuMs * 1000, 0);
      if (round > 0) costs[index]!.push((own + microseconds) / fired);
    }
  }
  const quantity = `a firing, on ${PROCESSES.at(-1)} processes: CPU of nodes and Postgres`;
  const row = { bench: BENCH, quantity, unit: 'µs', ours: costs.at(-1)!, lessIsBetter: true, goal: GOAL };
  compare(row, 'on 1 process', costs[0]!);
  const each = costs.map((cost, index) => `${PROCESSES[index]}: ${Math.round(middle(cost))} µs`);
  remark(BENCH, `a firing, by processes: ${each.join(', ')}`);
}

/** Looks from a database of its own, so that it is not counted. */
async function observe(scope: AsyncDisposableStack): Promise<pg.Client> {
  const { url } = scope.use(await createBenchDatabase());
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  scope.defer(() => client.end());
  return client;
}

function middle(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor((values.length - 1) / 2)]!;
}
