import { Ticker } from '#lifecycle/index.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { pruneInstances } from './event-repository.ts';

const INTERVAL_MS = 60_000;
const BATCH = 500;

/** Forgets finished instances that are older than is kept; 0 days are for ever. */
export function historyKeeper(
  platform: Pick<WorkflowPlatform, 'database' | 'observe'>,
  keepDays: () => number,
): Ticker {
  return new Ticker({
    name: 'workflow history',
    intervalMs: INTERVAL_MS,
    async runOnce() {
      const days = keepDays();
      if (days === 0) return undefined;
      const instances = await pruneInstances(platform.database.db, days, BATCH);
      if (instances > 0) platform.observe({ kind: 'workflow.pruned', instances });
      // More may be left: short transactions one after the other.
      return instances === BATCH ? 100 : INTERVAL_MS;
    },
    observe: platform.observe,
  });
}
