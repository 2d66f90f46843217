import { LRUCache } from 'lru-cache';
import { firstOf } from '#json/index.ts';
import type { Observe } from '#observability/index.ts';
import { insist, isSuspect, type Seat } from '#work/index.ts';
import type { ClaimedJob } from './job.ts';
import { type LaterJob, putOffJobs } from './job-repository.ts';
import type { Queue } from './queue.ts';

/** What a job of a group takes as long as that is not known. */
const JOB_MS = 5;
const MOST_TOGETHER = 32;
/** Jobs that go together are to be done within that time. */
const BATCH_MS = 100;
/** A group gives its seat to others after that, and comes back for it. */
const TURN_MS = 500;
/** How many jobs of one group may wait in the memory of this node. */
const MOST_WAITING = 64;
const LONGEST_PAUSE_MS = 15_000;
const MOST_KNOWN = 10_000;

export interface JobGroupsOptions {
  readonly queue: Queue;
  readonly observe: Observe;
  /** False once this node stops. */
  readonly isWorking: () => boolean;
}

interface Turn {
  readonly job: ClaimedJob;
  /** The unit of the job waits for that. */
  readonly end?: () => void;
}

interface Group {
  readonly key: string;
  /** They go when those before them have ended. */
  readonly waiting: Turn[];
  /** Jobs that were told to come later. */
  behind: number;
}

/** What entering the groups of its jobs means for a unit. */
interface Entry {
  /** The groups that it runs. */
  readonly groups: Group[];
  readonly later: LaterJob[];
  /** Ends of jobs that other units run. */
  readonly waits: Promise<void>[];
}

/**
 * Jobs that move the same thing have to wait for one another, and however many of them are due, they must not do so on
 * the seats of others: on this node one unit at a time has jobs of a group. Others wait without a seat, and when they
 * are too many, or have had their turn, they are put off, so that whatever else is due comes before them.
 */
export class JobGroups {
  readonly #options: JobGroupsOptions;
  readonly #running = new Map<string, Group>();
  readonly #msPerJob = new LRUCache<string, number>({ max: MOST_KNOWN });

  constructor(options: JobGroupsOptions) {
    this.#options = options;
  }

  /**
   * A unit holds all its jobs until each has run or comes later, for the poller gives to others what no unit holds; while
   * it only waits for other units it needs no seat.
   *
   * @returns whether all of the unit was completed, and nothing else has to be looked for
   */
  async settle(
    unit: readonly ClaimedJob[],
    seat: Seat,
    settle: (jobs: readonly ClaimedJob[]) => Promise<boolean>,
  ): Promise<boolean> {
    const entry: Entry = { groups: [], later: [], waits: [] };
    const now = unit.filter((job) => this.#admits(job, entry));
    let isDone = now.length === unit.length;
    try {
      if (entry.later.length > 0) await this.#putOff(entry.later);
      isDone = (await this.#takeTurns(now, entry.groups, seat, settle)) && isDone;
    } finally {
      isDone = (await this.#leave(entry.groups)) && isDone;
    }
    if (entry.waits.length > 0) seat.leave();
    await Promise.all(entry.waits);
    return isDone;
  }

  /** @returns whether the job goes with this unit; otherwise it waits, or comes later */
  #admits(job: ClaimedJob, { groups, later, waits }: Entry): boolean {
    const name = this.#options.queue.worker(job.queue).handler.groupOf?.(job);
    // A suspect is alone in any case.
    if (name === undefined || isSuspect(job)) return true;
    const key = `${job.queue} ${name}`;
    const running = this.#running.get(key);
    if (running === undefined) {
      const group = { key, waiting: [], behind: 0 };
      this.#running.set(key, group);
      groups.push(group);
      return true;
    }
    if (running.waiting.length < MOST_WAITING) {
      const { promise, resolve } = Promise.withResolvers<void>();
      running.waiting.push({ job, end: resolve });
      waits.push(promise);
    } else {
      running.behind += 1;
      const ms = (MOST_WAITING + running.behind) * this.#msOf(running);
      // Jobs that are put off for so long must not come back together.
      later.push({ ...job, delayMs: Math.min(ms, (LONGEST_PAUSE_MS * (1 + Math.random())) / 2) });
    }
    return false;
  }

  /** @returns whether all were completed */
  async #takeTurns(
    now: readonly ClaimedJob[],
    groups: readonly Group[],
    { signal }: Seat,
    settle: (jobs: readonly ClaimedJob[]) => Promise<boolean>,
  ): Promise<boolean> {
    const until = performance.now() + TURN_MS;
    let isDone = true;
    for (let turns: readonly Turn[] = now.map((job) => ({ job })); turns.length > 0; ) {
      const from = performance.now();
      // Nobody waits for one that may never end; another node may be luckier.
      const late = setInterval(() => void this.#giveUpWaiting(groups), LONGEST_PAUSE_MS).unref();
      isDone = (await settle(turns.map(({ job }) => job))) && isDone;
      clearInterval(late);
      for (const { end } of turns) end?.();
      const ms = (performance.now() - from) / turns.length;
      for (const { key } of groups) this.#msPerJob.set(key, ms);
      const mayGoOn = performance.now() < until && this.#options.isWorking() && !signal.aborted;
      turns = mayGoOn ? this.#next(groups) : [];
    }
    return isDone;
  }

  /** Others may enter these groups; what is due by now comes before what has waited in them. @returns whether nothing has */
  async #leave(groups: readonly Group[]): Promise<boolean> {
    for (const { key } of groups) this.#running.delete(key);
    return this.#giveUpWaiting(groups);
  }

  /** @returns whether nothing has waited */
  async #giveUpWaiting(groups: readonly Group[]): Promise<boolean> {
    const left = groups.flatMap(({ waiting }) => waiting.splice(0));
    if (left.length > 0) await this.#putOff(left.map(({ job }) => ({ ...job, delayMs: 0 })));
    for (const { end } of left) end?.();
    return left.length === 0;
  }

  #msOf({ key }: Group): number {
    return this.#msPerJob.get(key) ?? JOB_MS;
  }

  #next(groups: readonly Group[]): readonly Turn[] {
    const next: Turn[] = [];
    for (const group of groups) {
      const most = Math.min(
        MOST_TOGETHER - next.length,
        Math.max(1, Math.floor(BATCH_MS / this.#msOf(group))),
      );
      next.push(...group.waiting.splice(0, most));
    }
    return next;
  }

  async #putOff(jobs: readonly LaterJob[]): Promise<void> {
    const { queue, observe, isWorking } = this.#options;
    const loop = `put off of jobs of ${firstOf(jobs).queue}`;
    await insist(() => putOffJobs(queue.database.db, jobs), {
      failed: (error) => observe({ kind: 'loop.failed', loop, error }),
      mayRepeat: isWorking,
      // Whoever takes over from this node gives them back.
    }).catch(() => undefined);
  }
}
