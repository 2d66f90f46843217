import pg from 'pg';
import { type Child, startChild } from './child.ts';
import { databaseCpu } from './database-cpu.ts';
import { createBenchDatabase, onServer } from './postgres.ts';
import { countFirings, fillScheduler, settle } from './scheduler-load.ts';
import type { NodeResult, NodeTask } from './scheduler-node.ts';

/** Firings that a process may run at once. */
const THREADS = 1_000;

/** A database with triggers, and processes that fire them with a native service that does nothing. */
export interface SchedulerSite extends AsyncDisposable {
  readonly url: string;
  /** Replaces what is there by triggers that are due every hour since the year 2000, and fire as soon as they can. */
  fill(triggers: number): Promise<void>;
  /** Lets so many processes fire for a while. */
  run(processes: number, ms: number): Promise<readonly NodeResult[]>;
  /** @returns firings a second, as the tables tell */
  fire(processes: number, ms: number): Promise<number>;
  /** CPU time that Postgres spends for the database meanwhile, in ms. */
  cpuOf<Result>(work: () => Promise<Result>): Promise<{ readonly result: Result; readonly ms: number }>;
}

export async function openSchedulerSite(processes: number): Promise<SchedulerSite> {
  await using scope = new AsyncDisposableStack();
  const { url } = scope.use(await createBenchDatabase());
  const elsewhere = scope.use(await createBenchDatabase());
  const observer = new pg.Client({ connectionString: elsewhere.url });
  await observer.connect();
  scope.defer(() => observer.end());
  const nodes: Child<NodeTask, NodeResult>[] = [];
  while (nodes.length < processes) {
    nodes.push(scope.use(await startChild('./scheduler-node.ts', { BENCH_DATABASE_URL: url })));
  }
  const run: SchedulerSite['run'] = (count, ms) =>
    Promise.all(
      nodes.slice(0, count).map((node, n) => node.ask({ nodeId: n + 1, ms, threadCount: THREADS })),
    );
  const kept = scope.move();
  return {
    url,
    run,
    async fill(triggers) {
      await fillScheduler(url, triggers);
      await onServer(url, 'vacuum analyze scheduler_job');
      // What was just written would be written out by those who are measured.
      await onServer(url, 'checkpoint');
    },
    async fire(count, ms) {
      await settle(url);
      const before = await countFirings(url);
      const startedAt = performance.now();
      await run(count, ms);
      const seconds = (performance.now() - startedAt) / 1000;
      return ((await countFirings(url)) - before) / seconds;
    },
    async cpuOf(work) {
      const { result, microseconds } = await databaseCpu(observer, new URL(url).pathname.slice(1), work);
      return { result, ms: microseconds / 1000 };
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
