import { ResourceError, TimeoutError } from '#errors/index.ts';
import { firstOf } from '#json/index.ts';
import type { Quarantine } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import { insist, mayBeWhy } from '#work/index.ts';
import type { ClaimedJob } from './job.ts';
import type { Queue } from './queue.ts';
import { releaseJobs } from './release-repository.ts';
import { failJob, type JobResult } from './run-job.ts';

const LIMIT_MS = 900_000;

export interface SettleOptions {
  readonly queue: Queue;
  /** Runs a job to its end, here or in a script thread. Rejects when its thread died. */
  readonly run: (job: ClaimedJob) => Promise<JobResult>;
  /** As `run`, for several jobs of a queue whose worker takes them together; a result for each. */
  readonly runTogether?: (jobs: readonly ClaimedJob[]) => Promise<readonly JobResult[]>;
  readonly observe: Observe;
  readonly quarantine: Quarantine;
  /** False once this node stops: what ends then is nobody's fault. */
  readonly isWorking: () => boolean;
}

/** Runs jobs of one queue in one unit of work, and says what became of each. Never rejects. @returns whether all were completed */
export async function settleUnit(options: SettleOptions, unit: readonly ClaimedJob[]): Promise<boolean> {
  const { queue } = options;
  const { limitMs = LIMIT_MS } = queue.worker(firstOf(unit).queue).options;
  const limit = setTimeout(() => void failOverdue(options, unit, limitMs), limitMs).unref();
  const results = await runUntilKnown(options, unit);
  clearTimeout(limit);
  unit.forEach((job, index) => {
    const result = results?.[index];
    if (result !== undefined) say(options, job, result);
  });
  return results?.every(({ end }) => end === 'completed') === true;
}

/** @returns undefined when the jobs were given back, or nobody knows */
async function runUntilKnown(
  { queue, run, runTogether, observe, quarantine, isWorking }: SettleOptions,
  unit: readonly ClaimedJob[],
): Promise<readonly JobResult[] | undefined> {
  const job = firstOf(unit);
  try {
    return runTogether === undefined || unit.length === 1 ? [await run(job)] : await runTogether(unit);
  } catch (error) {
    const isLost = error instanceof ResourceError && error.code === 503;
    // Its thread died: with the job or because of it.
    const isBlamed = isLost && mayBeWhy(error) && isWorking();
    const settle = async () => {
      if (!isLost && unit.length === 1) return [await failJob(queue, job, error)];
      await releaseJobs(queue.database.db, {
        holder: job.holder,
        only: unit.map(({ id }) => id),
        lost: isBlamed ? 'thread' : null,
        alone: quarantine.subject,
      });
      return undefined;
    };
    return insist(settle, {
      failed: (again) => observe({ kind: 'loop.failed', loop: `job of ${job.queue}`, error: again }),
      mayRepeat: isWorking,
      // Whoever takes over from this node gives it back.
    }).catch(() => undefined);
  }
}

/** What still runs has no claim any more, so that it stores nothing. */
async function failOverdue(
  options: SettleOptions,
  unit: readonly ClaimedJob[],
  limitMs: number,
): Promise<void> {
  const error = new TimeoutError(`It ran longer than ${limitMs} ms`, { id: 'QUEUE_OVERDUE' });
  for (const job of unit) {
    try {
      const result = await failJob(options.queue, job, error);
      if (result.end !== 'fencedOut') say(options, job, { ...result, ms: limitMs });
    } catch (failure) {
      options.observe({ kind: 'loop.failed', loop: `job of ${job.queue}`, error: failure });
    }
  }
}

function say({ observe }: SettleOptions, { queue, id }: ClaimedJob, { end, ms, error }: JobResult): void {
  if (end === 'completed') observe({ kind: 'job.completed', queue, job: id, ms });
  else if (end === 'fencedOut') observe({ kind: 'job.fencedOut', queue, job: id });
  else observe({ kind: 'job.failed', queue, job: id, ms, error: error ?? '', dead: end === 'dead' });
}
