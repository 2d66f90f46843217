/** One claimer: claims and completes as fast as it can, over one connection, or as the product does over ten. */
import { openDatabase } from '#database/index.ts';
import { claimDue } from '../../src/scheduler/store/claim-repository.ts';
import { completeRun } from '../../src/scheduler/store/completion-repository.ts';
import { startRuns } from '../../src/scheduler/store/start-repository.ts';
import { answerParent } from './child.ts';
import { type CompletionShape, completionText, LOOK_AHEAD_MS, SLACK_MS } from './scheduler-load.ts';

export interface ClaimerTask {
  readonly nodeId: number;
  readonly batch: number;
  readonly ms: number;
  /** Where the first claim begins to look, epoch ms. */
  readonly watermark: number;
  /** `each`: every run is started, and completed in a transaction of its own, as today's product does. */
  readonly completion: CompletionShape | 'each';
}

/** Milliseconds from the first claim to the last completion. */
export interface ClaimerResult {
  readonly ms: number;
}

type Runs = Awaited<ReturnType<typeof claimDue>>['runs'];

const SLOTS = 10;
const HOUR_MS = 3_600_000;
const url = process.env['BENCH_DATABASE_URL']!;
const database = openDatabase({ url, poolSize: SLOTS, prepares: true });
const claims = openDatabase({ url, poolSize: 2, prepares: true, forgets: true });

answerParent(async (task: ClaimerTask): Promise<ClaimerResult> => {
  const holder = { nodeId: task.nodeId, epoch: 1 };
  const completion = task.completion === 'each' ? '' : completionText(task.completion);
  let { watermark } = task;
  const startedAt = performance.now();
  while (performance.now() < startedAt + task.ms) {
    const { runs } = await claimDue(claims.db, {
      holder,
      limit: task.batch,
      lookAheadMs: LOOK_AHEAD_MS,
      watermark,
      startLimit: task.batch,
    });
    watermark = Math.max(watermark, (runs[0]?.dueAt ?? 0) - SLACK_MS);
    if (task.completion === 'each') await completeEach(runs);
    else await database.pool.query(completion, [task.nodeId]);
  }
  return { ms: performance.now() - startedAt };

  async function completeEach(runs: Runs): Promise<void> {
    const left = [...(await startRuns(claims.db, holder, runs))];
    const slots = Array.from({ length: SLOTS }, async () => {
      for (let run = left.pop(); run !== undefined; run = left.pop()) {
        await completeRun(database.db, holder, run, run.fireAt + HOUR_MS, [
          {
            jobId: run.jobId,
            node: 'bench',
            outcome: 'fired',
            plannedAt: run.fireAt,
            startedAt: Date.now(),
            lateMs: 0,
            error: null,
            log: null,
            why: null,
          },
        ]);
      }
    });
    await Promise.all(slots);
  }
});
