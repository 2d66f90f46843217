import type { JobWithMetadata, PgBoss } from 'pg-boss';
import type { Database, Db, UnitOfWork } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { DEAD_LETTERS, openBoss, prepareQueues, within } from './boss.ts';
import { withClaims } from './claim-repository.ts';
import type { ClaimedJob, Holder, JobHandler, NewJob, Worker, WorkerOptions } from './job.ts';

/** What is due later than this need not be announced: every node looks by itself in between. */
const ANNOUNCE_WITHIN_MS = 3_000;

export interface QueueOptions {
  readonly database: Database;
  /** Wakes the pollers of all nodes; called after the commit. */
  readonly notify: () => void;
  readonly onWarning?: (message: string) => void;
}

/** Puts jobs into queues, and knows what the code has registered for each. */
export class Queue {
  readonly database: Database;
  /** The pg-boss below; for this room only. */
  readonly boss: PgBoss;
  readonly #notify: () => void;
  readonly #workers = new Map<string, Worker>();

  constructor({ database, notify, onWarning = () => {} }: QueueOptions) {
    this.database = database;
    this.boss = openBoss(database, onWarning);
    this.#notify = notify;
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

  /** Makes the queues in the database. */
  prepare(): Promise<void> {
    return prepareQueues(this.boss, this.workers);
  }

  /**
   * Enqueues a job as part of the unit of work: it is there exactly if that is committed.
   *
   * @returns the job's id; null when a job of the same key is there already, in a queue where keys are unique
   */
  async enqueue(unitOfWork: UnitOfWork, job: NewJob): Promise<string | null> {
    const { queue, data, id, startAt, priority, key, retries, retryDelayMs } = job;
    const enqueued = await this.boss.send(queue, data, {
      ...(id === undefined ? {} : { id }),
      ...(startAt === undefined ? {} : { startAfter: new Date(startAt).toISOString() }),
      ...(priority === undefined ? {} : { priority }),
      ...(key === undefined ? {} : { singletonKey: key }),
      ...(retries === undefined ? {} : { retryLimit: retries }),
      ...(retryDelayMs === undefined ? {} : { retryDelay: Math.ceil(retryDelayMs / 1000) }),
      db: within(await unitOfWork.db()),
    });
    unitOfWork.afterCommit(`job in queue ${queue}`, () => {
      if (startAt === undefined || startAt - Date.now() < ANNOUNCE_WITHIN_MS) this.#notify();
    });
    return enqueued;
  }

  /** Cancels jobs that have not ended. One that runs loses what it has stored. @returns how many */
  async cancel(unitOfWork: UnitOfWork, queue: string, ids: readonly string[]): Promise<number> {
    if (ids.length === 0) return 0;
    const db = within(await unitOfWork.db());
    return affectedBy(await this.boss.cancel(queue, [...ids], { db }));
  }

  /** Takes dead letters away that somebody else has dealt with. @returns how many */
  dismiss(unitOfWork: UnitOfWork, deadLetters: readonly string[]): Promise<number> {
    return this.cancel(unitOfWork, DEAD_LETTERS, deadLetters);
  }

  /** Puts dead letters back into the queues they came from, with all their attempts. @returns how many */
  async revive(unitOfWork: UnitOfWork, deadLetters: readonly string[]): Promise<number> {
    if (deadLetters.length === 0) return 0;
    const revived = await this.boss.redrive(DEAD_LETTERS, {
      ids: [...deadLetters],
      db: within(await unitOfWork.db()),
    });
    unitOfWork.afterCommit('revived jobs', this.#notify);
    return revived;
  }

  /** Jobs of the queue that are due, which the node holds from now on. */
  async claim(db: Db, queue: string, limit: number, holder: Holder): Promise<ClaimedJob[]> {
    const { executeSql } = within(db);
    const rows = await this.boss.fetch<JsonObject>(queue, {
      batchSize: limit,
      includeMetadata: true,
      db: {
        executeSql(text, values = []) {
          const claiming = withClaims(text, values, queue, holder);
          return executeSql(claiming.text, claiming.values);
        },
      },
    });
    return rows.map((row) => toClaimed(row, holder));
  }

  /** @returns false when the job is no longer this attempt's */
  async fail(db: Db, job: ClaimedJob, error: JsonObject): Promise<boolean> {
    return affectedBy(await this.boss.fail(job.queue, attemptOf(job), error, { db: within(db) })) === 1;
  }
}

function attemptOf({ id, retryCount }: ClaimedJob) {
  return { id, retryCount };
}

/** pg-boss documents the count in its answers, but does not declare it. */
function affectedBy(response: object): number {
  return (response as { readonly affected: number }).affected;
}

function toClaimed(row: JobWithMetadata<JsonObject>, holder: Holder): ClaimedJob {
  const { lostWith = [], suspected = 0 } = (row.output ?? {}) as Partial<ClaimedJob>;
  return {
    id: row.id,
    queue: row.name,
    data: row.data,
    key: row.singletonKey,
    attempt: row.retryCount + 1,
    attempts: row.retryLimit + 1,
    dueAt: new Date(row.startAfter).getTime(),
    holder,
    retryCount: row.retryCount,
    lostWith,
    suspected,
  };
}
