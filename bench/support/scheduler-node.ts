/** One node's scheduler without doors: poller, job store and a native service that does nothing. */
import { DatabaseClock, openDatabase } from '#database/index.ts';
import { fireTrigger, ScheduledServices } from '#scheduler/index.ts';
import { TriggerPoller } from '#scheduler/run/trigger-poller.ts';
import { jobStore } from '#scheduler/store/job-store.ts';
import { answerParent } from './child.ts';
import { Latency } from './latency.ts';

export interface NodeTask {
  readonly nodeId: number;
  /** Ends after so long, in ms. */
  readonly ms: number;
  readonly threadCount: number;
}

export interface NodeResult {
  readonly fired: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The least lateness: below zero would be early. */
  readonly earliestMs: number;
  /** Of the process, while it ran. */
  readonly cpuMs: number;
}

/** What is planned in the past is made up for its planned time, however late. */
const NEVER_MISFIRED_MS = 1e15;
const url = process.env['BENCH_DATABASE_URL']!;
const database = openDatabase({ url, poolSize: 10, prepares: true });
const lookups = openDatabase({ url, poolSize: 3, prepares: true, keepsPlans: true });
const claims = openDatabase({ url, poolSize: 3, prepares: true, keepsPlans: true, forgets: true });
const services = new ScheduledServices();
services.register({ invokeService: 'none', runsScripts: false, execute: async () => {} });

answerParent(async ({ nodeId, ms, threadCount }: NodeTask): Promise<NodeResult> => {
  const clock = new DatabaseClock(database);
  await clock.measure(20);
  const latency = new Latency();
  let fired = 0;
  let earliestMs = Infinity;
  let failure: unknown;
  const poller = new TriggerPoller({
    store: jobStore(database.db, { lookups: lookups.db, claims: claims.db }),
    clock,
    nodeName: `claimer-${nodeId}`,
    holder: () => ({ nodeId, epoch: 1 }),
    tuning: () => ({ threadCount, misfireThresholdMs: NEVER_MISFIRED_MS }),
    fire: (firing) => fireTrigger({ database, services }, firing),
    observe: (said) => {
      if (said.kind === 'trigger.fired') {
        fired += 1;
        latency.add(said.lateMs);
        earliestMs = Math.min(earliestMs, said.lateMs);
      } else if (said.kind === 'loop.failed' || said.kind === 'server.failed') {
        failure = said.error;
      }
    },
  });
  const before = process.cpuUsage();
  await poller.start();
  await new Promise((resolve) => setTimeout(resolve, ms));
  await poller.stop();
  const cpu = process.cpuUsage(before);
  if (failure !== undefined) throw failure;
  return {
    fired,
    p50Ms: latency.percentile(0.5),
    p99Ms: latency.percentile(0.99),
    earliestMs,
    cpuMs: (cpu.user + cpu.system) / 1000,
  };
});
