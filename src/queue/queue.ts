import type { Database, Db, UnitOfWork, Wake } from '#database/index.ts';
import { timeOrderedId } from '#time/index.ts';
import type { Holder } from '#work/index.ts';
import { deleteLetters, reviveLetters } from './dead-letter-repository.ts';
import type { ClaimedJob, JobHandler, NewJob, Worker, WorkerOptions } from './job.ts';
import { claimJobs, deleteJobs, insertQueues, jobInserts } from './job-repository.ts';

/** What is due later than this need not be announced: every node looks by itself in between. */
const ANNOUNCE_WITHIN_MS = 3_000;
/** What was committed so long after it was due may lie behind what pollers have seen. */
const BEHIND_MS = 2_500;
const RETRIES = 2;
const RETRY_DELAY_MS = 10_000;

export interface QueueOptions {
  readonly database: Database;
  /** Wakes the pollers of all nodes; `behind` has them look at what may lie behind what they have seen. */
  readonly wakes: { readonly ahead: Wake; readonly behind: Wake };
}

/** Puts jobs into queues, and knows what the code has registered for each. */
export class Queue {
  readonly database: Database;
  readonly #wakes: QueueOptions['wakes'];
  readonly #workers = new Map<string, Worker>();

  constructor({ database, wakes }: QueueOptions) {
    this.database = database;
    this.#wakes = wakes;
  }

  /** Registers what is done with the jobs of a queue. To be called where the application is built, on every node. */
  work(name: string, handler: JobHandler, options: WorkerOptions): void {
    if (this.#workers.has(name)) throw new Error(`The queue '${name}' has a handler already`);
    this.#workers.set(name, { name, handler, options });
  }

  get workers(): readonly Worker[] {
    return [...this.#workers.values()];
  }

  worker(name: string): Worker {
    const worker = this.#workers.get(name);
    if (worker === undefined) throw new Error(`The queue '${name}' has no handler`);
    return worker;
  }

  /** Makes the queues known in the database. */
  prepare(): Promise<void> {
    return insertQueues(this.database.db, [...this.#workers.keys()]);
  }

  /**
   * Enqueues a job as part of the unit of work: it is there exactly if that is committed.
   *
   * @returns the job's id
   */
  async enqueue(unitOfWork: UnitOfWork, job: NewJob): Promise<string> {
    const { queue, data, startAt, id = timeOrderedId(), priority = 0 } = job;
    const { options } = this.worker(queue);
    const { retries = options.retries ?? RETRIES } = job;
    const { retryDelayMs = options.retryDelayMs ?? RETRY_DELAY_MS } = job;
    await unitOfWork.write(jobInserts, {
      id,
      queue,
      data: JSON.stringify(data),
      startAt: startAt ?? null,
      priority,
      attempts: retries + 1,
      retryDelayMs,
    });
    const enqueuedAt = performance.now();
    const inMs = startAt === undefined ? 0 : startAt - Date.now();
    const wake = () => {
      const sinceMs = performance.now() - enqueuedAt;
      if (inMs - sinceMs >= ANNOUNCE_WITHIN_MS) return undefined;
      return sinceMs > BEHIND_MS ? this.#wakes.behind : this.#wakes.ahead;
    };
    unitOfWork.afterCommit(`job in queue ${queue}`, {
      topic: this.#wakes.ahead.topic,
      statement: () => wake()?.statement(),
      run: () => wake()?.run(),
    });
    return id;
  }

  /** Cancels jobs that have not ended. One that runs loses what it has stored. @returns how many */
  async cancel(unitOfWork: UnitOfWork, queue: string, ids: readonly string[]): Promise<number> {
    return ids.length === 0 ? 0 : deleteJobs(await unitOfWork.db(), queue, ids);
  }

  /** Takes dead letters away that somebody else has dealt with. @returns how many */
  async dismiss(unitOfWork: UnitOfWork, deadLetters: readonly string[]): Promise<number> {
    return deadLetters.length === 0 ? 0 : deleteLetters(await unitOfWork.db(), deadLetters);
  }

  /** Puts dead letters back into the queues they came from, with all their attempts. @returns how many */
  async revive(unitOfWork: UnitOfWork, deadLetters: readonly string[]): Promise<number> {
    if (deadLetters.length === 0) return 0;
    const revived = await reviveLetters(await unitOfWork.db(), deadLetters);
    unitOfWork.afterCommit('revived jobs', this.#wakes.ahead);
    return revived;
  }

  /** Jobs of the queue that are due, which the node holds from now on. */
  claim(db: Db, queue: string, limit: number, holder: Holder): Promise<ClaimedJob[]> {
    return claimJobs(db, [{ kind: queue, most: limit, lookAheadMs: 0, since: 0 }], holder);
  }
}
