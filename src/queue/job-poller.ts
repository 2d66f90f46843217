import { troubleOf } from '#database/index.ts';
import { BystanderError, ResourceError } from '#errors/index.ts';
import { backOff, ClaimLoop, jittered, type Service, Solitude } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import {
  beginSuspect,
  listDues,
  listOrphanedHolders,
  type Release,
  releaseJobs,
} from './claim-repository.ts';
import type { ClaimedJob, Holder } from './job.ts';
import { isSuspect, subjectOf } from './lost-with.ts';
import type { Queue } from './queue.ts';
import { failJob, type JobResult } from './run-job.ts';

const POLL_INTERVAL_MS = 1_500;
/** Jobs that are run together are collected for so long while they keep coming. */
const COLLECT_MS = 15;
/** Units of work that jobs which are due at once are spread over. */
const SPREAD = 4;
/** Fewer together are not worth the statements of a unit of work, which are as many for one job as for many. */
const WORTHWHILE = 16;
/** Due, but another node holds a lock on it: it will be gone in a moment. */
const CONTENDED_MS = 20;
const SWEEP_INTERVAL_MS = 10_000;

export interface JobPollerOptions {
  readonly queue: Queue;
  /** This life of this node, as the cluster knows it now. */
  readonly holder: () => Holder;
  /** Runs a job to its end, here or in a script thread. Rejects when its thread died. */
  readonly run: (job: ClaimedJob) => Promise<JobResult>;
  /** As `run`, for several jobs of a queue whose worker takes them together; a result for each. */
  readonly runTogether?: (jobs: readonly ClaimedJob[]) => Promise<readonly JobResult[]>;
  readonly observe: Observe;
  /** Shared with all else that does work in this process. Default: one of its own. */
  readonly solitude?: Solitude;
  /** How long a stop waits for jobs, in ms. Default 30 s. */
  readonly drainMs?: number;
}

/**
 * Claims jobs that are due and runs them, as many of each queue as its worker allows. It sleeps until the next one
 * is due, because pg-boss announces none that are due later.
 */
export class JobPoller implements Service {
  readonly name = 'job poller';
  readonly drains = true;
  readonly #options: JobPollerOptions;
  readonly #loop: ClaimLoop;
  readonly #solitude: Solitude;
  /** What runs here, by queue: for each unit of work the jobs in it. */
  readonly #running = new Map<string, Set<readonly ClaimedJob[]>>();
  /** A queue had more due than there was room for. */
  #starved = false;
  #sweptAt = 0;

  constructor(options: JobPollerOptions) {
    this.#options = options;
    this.#loop = new ClaimLoop({
      name: this.name,
      intervalMs: POLL_INTERVAL_MS,
      runOnce: () => this.#runOnce(),
      active: () => this.active,
      giveUp: () => this.#release({ holder: options.holder(), lost: null }),
      observe: options.observe,
      drainMs: options.drainMs,
    });
    this.#solitude = options.solitude ?? new Solitude();
    this.#solitude.onOpen(() => this.wake());
  }

  start(): Promise<void> {
    return this.#loop.start();
  }

  /** Stops claiming, waits for what runs, and gives back what takes too long. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  wake(): void {
    this.#loop.wake();
  }

  get active(): number {
    return this.#runningJobs().length;
  }

  get lastBeatAt(): number {
    return this.#loop.lastBeatAt;
  }

  async #runOnce(): Promise<number> {
    await this.#sweep();
    if (!this.#solitude.isOpen) return POLL_INTERVAL_MS;
    const claimed = this.#solitude.begin();
    try {
      return await this.#claim();
    } finally {
      claimed();
    }
  }

  /** @returns when to look again, in ms */
  async #claim(): Promise<number> {
    const { queue, holder } = this.#options;
    const room = new Map(queue.workers.map(({ name }) => [name, this.#room(name)]));
    const open = [...room.keys()].filter((name) => room.get(name)! > 0);
    this.#starved = open.length < room.size;
    const dues = open.length === 0 ? [] : await listDues(queue.database.db, open);
    let wait = jittered(POLL_INTERVAL_MS);
    for (const { queue: name, inMs } of dues) {
      if (inMs > 0) {
        wait = Math.min(wait, Math.ceil(inMs));
        continue;
      }
      // Half of the room at a time, so that the first of several nodes to look does not take everything.
      const units = Math.ceil(room.get(name)! / 2);
      const { together = 1 } = queue.worker(name).options;
      const most = this.#options.runTogether === undefined ? 1 : together;
      const limit = units * most;
      const jobs = await queue.claim(queue.database.db, name, limit, holder()).catch((error) => {
        // Its answer was lost, not necessarily the claim: the next round gives back what we do not know of.
        this.#sweptAt = 0;
        throw error;
      });
      for (const unit of unitsOf(jobs, most)) void this.#run(name, unit);
      const soon = most > 1 && jobs.length < limit ? COLLECT_MS : 0;
      wait = Math.min(wait, jobs.length > 0 ? soon : CONTENDED_MS * (1 + Math.random()));
    }
    return wait;
  }

  #room(name: string): number {
    const { concurrency } = this.#options.queue.worker(name).options;
    return concurrency - (this.#running.get(name)?.size ?? 0);
  }

  async #run(name: string, unit: readonly ClaimedJob[]): Promise<void> {
    const running = this.#running.get(name) ?? new Set();
    this.#running.set(name, running.add(unit));
    const results = isSuspect(unit[0]!) ? await this.#tryAlone(unit[0]!) : await this.#runUnit(unit);
    running.delete(unit);
    unit.forEach((job, index) => {
      const result = results?.[index];
      if (result !== undefined) this.#say(job, result);
    });
    if (this.#starved || results?.some(({ end }) => end !== 'completed') !== false) this.wake();
    this.#loop.noteEnd();
  }

  async #runUnit(unit: readonly ClaimedJob[]) {
    const ended = this.#solitude.begin();
    try {
      return await this.#settle(unit);
    } finally {
      ended();
    }
  }

  /** What has been there at the end of two nodes already; if another one ends now, that is why. */
  async #tryAlone(job: ClaimedJob): Promise<readonly JobResult[] | undefined> {
    const { queue, observe } = this.#options;
    const { db } = queue.database;
    const failed = (error: unknown) => observe({ kind: 'loop.failed', loop: `job of ${job.queue}`, error });
    let results: readonly JobResult[] | undefined;
    let isTried = false;
    await this.#solitude.alone({
      subject: subjectOf(job),
      isWanted: () => this.#loop.claims,
      run: async () => {
        isTried = true;
        // Without an answer the next sweep gives it back.
        const isOurs = await beginSuspect(db, job).catch(failed);
        if (isOurs === true) results = await this.#runUnit([job]);
      },
    });
    if (!isTried) await this.#release({ holder: job.holder, only: job.id, lost: null }).catch(failed);
    return results;
  }

  #runningJobs(): readonly ClaimedJob[] {
    return [...this.#running.values()].flatMap((units) => [...units].flat());
  }

  /** @returns undefined when the jobs were given back, or nobody knows */
  async #settle(unit: readonly ClaimedJob[]): Promise<readonly JobResult[] | undefined> {
    const { queue, run, runTogether, observe } = this.#options;
    const [job] = unit as [ClaimedJob];
    for (let failures = 1; ; failures++) {
      try {
        return runTogether === undefined || unit.length === 1 ? [await run(job)] : await runTogether(unit);
      } catch (error) {
        try {
          const isLost = error instanceof ResourceError && error.code === 503;
          if (!isLost && unit.length === 1) return [await failJob(queue, job, error)];
          // Its thread died: with the job or because of it. Without a database nobody can be blamed.
          const isBlamed =
            isLost &&
            troubleOf(error) !== 'unreachable' &&
            !(error instanceof BystanderError) &&
            this.#loop.claims;
          const alone = this.#solitude.subject;
          for (const { holder, id } of unit) {
            await this.#release({ holder, only: id, lost: isBlamed ? 'thread' : null, alone });
          }
          return undefined;
        } catch (again) {
          observe({ kind: 'loop.failed', loop: `job of ${job.queue}`, error: again });
          // Whoever takes over from this node gives it back.
          if (!this.#loop.claims) return undefined;
          await backOff(failures, 50, 2_000);
        }
      }
    }
  }

  #say({ queue, id }: ClaimedJob, { end, ms, error }: JobResult): void {
    const { observe } = this.#options;
    if (end === 'completed') observe({ kind: 'job.completed', queue, job: id, ms });
    else if (end === 'fencedOut') observe({ kind: 'job.fencedOut', queue, job: id });
    else observe({ kind: 'job.failed', queue, job: id, ms, error: error ?? '', dead: end === 'dead' });
  }

  /** Gives back what lives that are over had claimed, and claims of ours whose answer was lost. */
  async #sweep(): Promise<void> {
    if (this.#sweptAt !== 0 && performance.now() - this.#sweptAt < SWEEP_INTERVAL_MS) return;
    this.#sweptAt = performance.now();
    const { queue, holder } = this.#options;
    for (const gone of await listOrphanedHolders(queue.database.db)) {
      await this.#release({ holder: gone, lost: 'silent' });
    }
    const known = this.#runningJobs().map(({ id }) => id);
    await this.#release({ holder: holder(), except: known, lost: null });
  }

  async #release(release: Release): Promise<void> {
    await releaseJobs(this.#options.queue.database.db, release);
  }
}

/** Jobs as they are run: together where many are due. One that something ended with is only a danger to itself. */
function unitsOf(jobs: readonly ClaimedJob[], most: number): (readonly ClaimedJob[])[] {
  const size =
    jobs.length <= SPREAD ? 1 : Math.min(most, Math.max(WORTHWHILE, Math.ceil(jobs.length / SPREAD)));
  const alone = jobs.filter(({ lostWith }) => size === 1 || lostWith.length > 0);
  const others = jobs.filter((job) => !alone.includes(job));
  const units: (readonly ClaimedJob[])[] = alone.map((job) => [job]);
  for (let at = 0; at < others.length; at += size) units.push(others.slice(at, at + size));
  return units;
}
