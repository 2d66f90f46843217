import { ResourceError } from '#errors/index.ts';
import { backoffMs, type Service, Ticker } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import { listDues, listOrphanedHolders, type Release, releaseJobs } from './claim-repository.ts';
import type { ClaimedJob, Holder } from './job.ts';
import type { Queue } from './queue.ts';
import { failJob, type JobResult } from './run-job.ts';

const POLL_INTERVAL_MS = 1_500;
/** Due, but another node holds a lock on it: it will be gone in a moment. */
const CONTENDED_MS = 20;
const SWEEP_INTERVAL_MS = 10_000;
const DRAIN_MS = 30_000;

export interface JobPollerOptions {
  readonly queue: Queue;
  /** This life of this node, as the cluster knows it now. */
  readonly holder: () => Holder;
  /** Runs a job to its end, here or in a script thread. Rejects when its thread died. */
  readonly run: (job: ClaimedJob) => Promise<JobResult>;
  readonly observe: Observe;
  /** How long a stop waits for jobs, in ms. Default 30 s. */
  readonly drainMs?: number;
}

/**
 * Claims jobs that are due and runs them, as many of each queue as its worker allows. It sleeps until the next one
 * is due, because pg-boss announces none that are due later.
 */
export class JobPoller implements Service {
  readonly name = 'job poller';
  readonly #options: JobPollerOptions;
  readonly #ticker: Ticker;
  /** What runs here, by queue. */
  readonly #running = new Map<string, Set<string>>();
  #accepting = false;
  /** A queue had more due than there was room for. */
  #starved = false;
  #sweptAt = 0;
  #idle: (() => void) | undefined;

  constructor(options: JobPollerOptions) {
    this.#options = options;
    this.#ticker = new Ticker({
      name: this.name,
      intervalMs: POLL_INTERVAL_MS,
      runOnce: () => this.#runOnce(),
      onError: (error) => options.observe({ kind: 'loop.failed', loop: this.name, error }),
    });
  }

  async start(): Promise<void> {
    this.#accepting = true;
    await this.#ticker.start();
  }

  /** Stops claiming, waits for what runs, and gives back what takes too long. */
  async stop(): Promise<void> {
    if (!this.#accepting) return;
    this.#accepting = false;
    await this.#ticker.stop();
    await this.#drain();
    if (this.active > 0) {
      await this.#release({ holder: this.#options.holder(), lost: null }).catch(() => undefined);
    }
  }

  wake(): void {
    this.#ticker.wake();
  }

  get active(): number {
    return [...this.#running.values()].reduce((sum, jobs) => sum + jobs.size, 0);
  }

  get lastBeatAt(): number {
    return this.#ticker.lastBeatAt;
  }

  async #runOnce(): Promise<number> {
    const { queue, holder } = this.#options;
    if (!this.#accepting) return POLL_INTERVAL_MS;
    await this.#sweep();
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
      const limit = Math.ceil(room.get(name)! / 2);
      const jobs = await queue.claim(queue.database.db, name, limit, holder()).catch((error) => {
        // Its answer was lost, not necessarily the claim: the next round gives back what we do not know of.
        this.#sweptAt = 0;
        throw error;
      });
      for (const job of jobs) void this.#run(job);
      wait = Math.min(wait, jobs.length > 0 ? 0 : CONTENDED_MS * (1 + Math.random()));
    }
    return wait;
  }

  #room(name: string): number {
    const { concurrency } = this.#options.queue.worker(name).options;
    return concurrency - (this.#running.get(name)?.size ?? 0);
  }

  async #run(job: ClaimedJob): Promise<void> {
    const running = this.#running.get(job.queue) ?? new Set<string>();
    this.#running.set(job.queue, running.add(job.id));
    const result = await this.#settle(job);
    running.delete(job.id);
    if (result !== undefined) this.#say(job, result);
    if (this.#starved || result?.end !== 'completed') this.wake();
    if (this.active === 0) this.#idle?.();
  }

  /** @returns undefined when the job was given back, or nobody knows */
  async #settle(job: ClaimedJob): Promise<JobResult | undefined> {
    const { queue, run, observe } = this.#options;
    for (let failures = 1; ; failures++) {
      try {
        return await run(job);
      } catch (error) {
        try {
          if (!(error instanceof ResourceError) || error.code !== 503)
            return await failJob(queue, job, error);
          // Its thread died: with the job or because of it. Without a database nobody can be blamed.
          const lost = isUnreachable(error) || !this.#accepting ? null : 'thread';
          await this.#release({ holder: job.holder, only: job.id, lost });
          return undefined;
        } catch (again) {
          observe({ kind: 'loop.failed', loop: `job of ${job.queue}`, error: again });
          // Whoever takes over from this node gives it back.
          if (!this.#accepting) return undefined;
          await new Promise((resolve) => setTimeout(resolve, backoffMs(failures, 50, 2_000)));
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
      await this.#release({ holder: gone, lost: 'node' });
    }
    const known = [...this.#running.values()].flatMap((jobs) => [...jobs]);
    await this.#release({ holder: holder(), except: known, lost: null });
  }

  #release(release: Release): Promise<number> {
    return releaseJobs(this.#options.queue.database.db, release);
  }

  async #drain(): Promise<void> {
    if (this.active === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idle = resolve;
    const timer = setTimeout(resolve, this.#options.drainMs ?? DRAIN_MS);
    await promise;
    clearTimeout(timer);
  }
}

function isUnreachable(error: ResourceError): boolean {
  const { detail } = error;
  return typeof detail === 'object' && detail !== null && 'id' in detail && detail.id === 'DB_UNREACHABLE';
}

function jittered(ms: number): number {
  return ms * (0.8 + Math.random() * 0.4);
}
