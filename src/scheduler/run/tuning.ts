import type { DaylightSaving } from '#cron/index.ts';

/** What an operator may set of how schedules fire on a node, also while it runs. */
export interface Tuning {
  /** How many firings may run at once. */
  readonly threadCount: number;
  /** How many of them runs of a service may take, by `invokeService` with its prefix; of others as many as there are. */
  readonly serviceThreads?: ReadonlyMap<string, number>;
  /** Default 10 s. */
  readonly misfireThresholdMs?: number | undefined;
  /** Longest time between two looks at the store, in ms. */
  readonly idleWaitMs?: number | undefined;
  /** Most that are claimed with one statement. */
  readonly maxBatch?: number | undefined;
  readonly dst?: DaylightSaving;
  /** False: what is due is left to other nodes. Default true. */
  readonly claims?: boolean;
}
