import { type Db, runUnitOfWork, troubleOf } from '#database/index.ts';
import { ResourceError, toResourceError } from '#errors/index.ts';
import { timeOrderedId } from '#time/index.ts';
import { completeIn, doubling, FencedOutError, isPoison, retryAfter, untilKnown } from '#work/index.ts';
import { buryJob } from './dead-letter-repository.ts';
import type { ClaimedJob, WorkerOptions } from './job.ts';
import { hasClaim, jobCompletions, lockClaim, retryJob } from './job-repository.ts';
import type { Queue } from './queue.ts';

const LONGEST_PAUSE_MS = 86_400_000;

export interface JobResult {
  /** `retrying`: it failed and will be tried again; `dead`: it failed for good; `fencedOut`: it is another's now. */
  readonly end: 'completed' | 'retrying' | 'dead' | 'fencedOut';
  readonly ms: number;
  readonly error: string | null;
}

/**
 * Runs a claimed job: what its handler stores and the completion are one unit of work. A failure leaves nothing but
 * the failure.
 *
 * @throws ResourceError `DB_UNREACHABLE` when the database went away; nothing was stored, and the claim stands
 */
export async function runJob(queue: Queue, job: ClaimedJob): Promise<JobResult> {
  const startedAt = performance.now();
  const { handler, options } = queue.worker(job.queue);
  if (isPoison(job, options.losses)) {
    return failJob(queue, job, brokeItsNodes(job), { forGood: true });
  }
  const result = (end: JobResult['end']) => ({ end, ms: performance.now() - startedAt, error: null });
  const fence = async (db: Db) => {
    if (!(await lockClaim(db, job))) throw new FencedOutError();
  };
  try {
    await runUnitOfWork(queue.database, {}, async (unitOfWork) => {
      await handler.run(unitOfWork, job, fence);
      await completeIn(unitOfWork, jobCompletions, job, () => new FencedOutError());
    });
    return result('completed');
  } catch (thrown) {
    if (thrown instanceof FencedOutError) return result('fencedOut');
    const trouble = troubleOf(thrown);
    if (trouble === 'unreachable') throw thrown;
    if (trouble !== 'unknownOutcome') return failJob(queue, job, thrown);
    // Only the database knows whether the commit came through: the claim is gone if it did.
    return (await stillHeld(queue, job)) ? runJob(queue, job) : result('completed');
  }
}

/** Records that a job failed: it waits for its next attempt, or is a dead letter. */
export async function failJob(
  queue: Queue,
  job: ClaimedJob,
  thrown: unknown,
  { forGood = false }: { forGood?: boolean } = {},
): Promise<JobResult> {
  const startedAt = performance.now();
  const error = toResourceError(thrown);
  const inner = error.cause instanceof Error ? error.cause.message : error.message;
  const cause = inner === error.message ? {} : { cause: inner };
  const { handler, options } = queue.worker(job.queue);
  const place = handler.placeOf?.(error);
  const body = { ...error.toJSON(), ...cause, ...place };
  const end = await runUnitOfWork(queue.database, {}, async (unitOfWork) => {
    const db = await unitOfWork.db();
    const pauseMs = retryAfter(job.attempt, {
      most: job.attempts,
      isFinal: forGood || handler.isFinal?.(error) === true,
      pauseMs: () => handler.pauseMs?.(job) ?? pauseOf(job, options),
    });
    const isLast = pauseMs === undefined;
    const retryAt = isLast
      ? (await buryJob(db, timeOrderedId(), job, body)) && null
      : ((await retryJob(db, job, pauseMs)) ?? false);
    if (retryAt === false) return 'fencedOut';
    await handler.failed?.(unitOfWork, job, { error: body, retryAt });
    return isLast ? 'dead' : 'retrying';
  });
  const text = 'cause' in cause ? `${error.message}: ${cause.cause}` : error.message;
  const said = place === undefined ? text : `${text} (at ${place.at})`;
  return { end, ms: performance.now() - startedAt, error: said };
}

/** With `backoff` it doubles from one attempt to the next, and is as much longer by chance, so that not all come back together. */
function pauseOf({ attempt, retryDelayMs }: ClaimedJob, { backoff = false }: WorkerOptions): number {
  return backoff ? doubling(retryDelayMs, LONGEST_PAUSE_MS)(attempt) * (1 + Math.random()) : retryDelayMs;
}

function brokeItsNodes({ lostWith }: ClaimedJob): ResourceError {
  return new ResourceError(500, `It ran when each of these ended: ${lostWith.join(', ')}`, {
    id: 'QUEUE_POISON',
    hint: 'Look at the logs of these nodes, then revive the dead letter',
  });
}

/** Whether a job of which nobody knows how it ended is still this node's. */
export function stillHeld(queue: Queue, job: ClaimedJob): Promise<boolean> {
  return untilKnown(() => hasClaim(queue.database.db, job));
}
