/** One process of graphile-worker with one job for each object, which does by hand what a scan does. */
import { Logger, run } from 'graphile-worker';
import { answerParent } from './child.ts';
import { processByHand } from './scan-loop.ts';

export interface GraphileScan {
  readonly patches: boolean;
  /** Ends when this many are done in all processes, which the parent tells by a second message. */
  readonly concurrency: number;
}

let runner: Awaited<ReturnType<typeof run>> | undefined;
let done = 0;

answerParent(async (task: GraphileScan | { readonly stop: true }): Promise<{ done: number }> => {
  if ('stop' in task) {
    await runner?.stop();
    return { done };
  }
  runner = await run({
    connectionString: process.env['BENCH_DATABASE_URL']!,
    taskList: {
      object: async (payload, { withPgClient }) => {
        await withPgClient((client) => processByHand(client, String(payload), task.patches));
        done += 1;
      },
    },
    logger: new Logger(() => () => {}),
    noHandleSignals: true,
    concurrency: task.concurrency,
    maxPoolSize: task.concurrency + 2,
    pollInterval: 100,
  });
  return { done };
});
