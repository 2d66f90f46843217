/** One process of graphile-worker with its documented best settings, whose only task does nothing. */
import { Logger, run } from 'graphile-worker';
import { answerParent } from './child.ts';

export interface PeerTask {
  /** Ends after so long, in ms. */
  readonly ms: number;
}

answerParent(async ({ ms }: PeerTask): Promise<{ done: number }> => {
  let done = 0;
  const runner = await run({
    connectionString: process.env['BENCH_DATABASE_URL']!,
    taskList: {
      none: async () => {
        done += 1;
      },
    },
    logger: new Logger(() => () => {}),
    noHandleSignals: true,
    preset: {
      worker: {
        concurrentJobs: 24,
        maxPoolSize: 12,
        localQueue: { size: 500 },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  });
  await new Promise((resolve) => setTimeout(resolve, ms));
  await runner.stop();
  return { done };
});
