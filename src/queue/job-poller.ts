import type { DatabaseClock, Db } from '#database/index.ts';
import { Quarantine } from '#lifecycle/index.ts';
import { type Holder, WorkPoller } from '#work/index.ts';
import type { ClaimedJob } from './job.ts';
import { JobGroups } from './job-groups.ts';
import { queueStore } from './queue-store.ts';
import { type SettleOptions, settleUnit } from './settle-unit.ts';

/** A unit takes about as many statements for one job as for many. */
const COLLECT_MS = 15;

export interface JobPollerOptions extends Pick<SettleOptions, 'queue' | 'run' | 'runTogether' | 'observe'> {
  readonly clock: Pick<DatabaseClock, 'now'>;
  /** This life of this node, as the cluster knows it now. */
  readonly holder: () => Holder;
  /** Sessions on which jobs are claimed. Default: those of the queue. */
  readonly claims?: Db;
  /** Shared with all else that does work in this process. Default: one of its own. */
  readonly quarantine?: Quarantine;
  /** How long a stop waits for jobs, in ms. Default 30 s. */
  readonly drainMs?: number;
}

/** Claims jobs of all queues and runs them, as many of each queue as its worker allows. */
export class JobPoller extends WorkPoller<ClaimedJob> {
  constructor({ quarantine = new Quarantine(), ...options }: JobPollerOptions) {
    const { queue, holder, claims, runTogether, observe } = options;
    const isWorking = () => this.claims;
    const groups = new JobGroups({ queue, observe, isWorking });
    super({
      ...options,
      name: 'job poller',
      quarantine,
      store: queueStore(queue.database.db, holder, claims),
      kinds: () =>
        queue.workers.map(({ name, options: { concurrency, together = 1 } }) => ({
          name,
          seats: concurrency,
          together: runTogether === undefined ? 1 : together,
          collectMs: COLLECT_MS,
        })),
      execute: (unit, seat) =>
        groups.settle(unit, seat, (jobs) => settleUnit({ ...options, quarantine, isWorking }, jobs)),
    });
  }
}
