import {
  isConnectionLost,
  type PreparedUnit,
  prepareUnit,
  storeTogether,
  translateDatabaseError,
  troubleOf,
} from '#database/index.ts';
import { firstOf } from '#json/index.ts';
import type { ClaimedJob, Job, JobWork, Worker } from './job.ts';
import { jobCompletions } from './job-repository.ts';
import type { Queue } from './queue.ts';
import { type JobResult, runJob, stillHeld } from './run-job.ts';

/** How many jobs run at once that do not go together with others. */
const AT_ONCE = 4;
/** So many are done before they are stored, and twice as many next time if that was short. */
const FIRST_WAVE = 8;
const SMALLEST_WAVE = 2;
const LARGEST_WAVE = 64;
const SHORT_MS = 25;
/** A longer wave lets its jobs wait for one another too long. */
const LONG_MS = 100;
const waves = new WeakMap<Worker, number>();

interface Outcome {
  readonly stored: ReadonlySet<ClaimedJob>;
  /** What may go with a later wave. */
  readonly later: readonly ClaimedJob[];
}

/**
 * Runs jobs of one queue: those that can share their commit, and the others each by itself.
 *
 * @returns a result for each, in their order
 * @throws as `runJob`; those that were done before have been completed
 */
export async function runJobs(queue: Queue, jobs: readonly ClaimedJob[]): Promise<JobResult[]> {
  const startedAt = performance.now();
  const worker = queue.worker(firstOf(jobs).queue);
  const stored = new Set<ClaimedJob>();
  for (let left = jobs; left.length > 1; ) {
    const size = waves.get(worker) ?? FIRST_WAVE;
    const wave = await runTogether(queue, worker, left.slice(0, size));
    for (const job of wave.stored) stored.add(job);
    left = [...left.slice(size), ...(wave.stored.size > 0 ? wave.later : [])];
  }
  const ms = (performance.now() - startedAt) / jobs.length;
  const results = new Map<ClaimedJob, JobResult>();
  const alone = jobs.filter((job) => !stored.has(job));
  const left = alone.values();
  const runOthers = async () => {
    for (const job of left) results.set(job, await runJob(queue, job));
  };
  await Promise.all(alone.slice(0, AT_ONCE).map(runOthers));
  return jobs.map((job) => results.get(job) ?? { end: 'completed', ms, error: null });
}

/**
 * Does each job as a unit of work of its own that keeps what it writes, and stores them with one statement. What fails,
 * or turns out to need a transaction, leaves nothing.
 */
async function runTogether(queue: Queue, worker: Worker, wave: readonly ClaimedJob[]): Promise<Outcome> {
  const { handler } = worker;
  const works = await lookAt(worker, wave);
  const startedAt = performance.now();
  const prepared = await Promise.all(
    wave.map(async (job) => {
      const work = works.get(job);
      const unit = work && (await prepareUnit(queue.database, work).catch(() => undefined));
      if (unit === 'needsTransaction') handler.noteAlone?.(job);
      return typeof unit === 'object' ? { job, unit } : undefined;
    }),
  );
  resize(worker, wave.length, performance.now() - startedAt);
  // All that is stored in one turn of the event loop leaves together, and only who is in the way is refused.
  const isStored = await Promise.all(prepared.map((one) => one && store(queue, one.job, one.unit)));
  return {
    stored: new Set(wave.filter((_, index) => isStored[index] === true)),
    later: wave.filter((job) => !works.has(job)),
  };
}

async function lookAt({ handler }: Worker, jobs: readonly ClaimedJob[]): Promise<ReadonlyMap<Job, JobWork>> {
  try {
    return (await handler.workTogether?.(jobs)) ?? new Map();
  } catch (thrown) {
    const error = translateDatabaseError(thrown);
    if (troubleOf(error) === 'unreachable') throw error;
    return new Map();
  }
}

function resize(worker: Worker, size: number, ms: number): void {
  const before = waves.get(worker) ?? FIRST_WAVE;
  if (ms > LONG_MS) waves.set(worker, Math.max(SMALLEST_WAVE, Math.floor(before / 2)));
  else if (ms < SHORT_MS && size === before) waves.set(worker, Math.min(LARGEST_WAVE, before * 2));
}

async function store(queue: Queue, job: ClaimedJob, unit: PreparedUnit<unknown>): Promise<boolean> {
  try {
    return await storeTogether(queue.database, {}, [unit], jobCompletions, job);
  } catch (error) {
    // A commit of which nobody knows: what has no claim is done, or another's.
    return isConnectionLost(error) && !(await stillHeld(queue, job));
  }
}
