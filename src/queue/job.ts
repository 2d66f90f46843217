import type { UnitOfWork } from '#database/index.ts';
import type { ResourceError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { Claimed, Fence, Holder } from '#work/index.ts';

/** What is to be done, and when. */
export interface NewJob {
  readonly queue: string;
  readonly data: JsonObject;
  /** A UUID of the caller's choice, such as the id of the row the job is for; default: a new one. */
  readonly id?: string;
  /** Epoch ms by the database's clock; default: at once. */
  readonly startAt?: number;
  /** The priority from 0, the default, to 32,767; higher first among what is due. */
  readonly priority?: number;
  /** How often it may fail before it is a dead letter, less one. Default: as the queue says. */
  readonly retries?: number;
  readonly retryDelayMs?: number;
}

/** A job as its handler sees it. */
export interface Job {
  readonly id: string;
  readonly queue: string;
  readonly data: JsonObject;
  /** The number of the attempt, from 1; only failures count, not nodes that were lost. */
  readonly attempt: number;
  readonly attempts: number;
  /** Epoch ms: when it was due. */
  readonly dueAt: number;
  /** How often it may have been why its thread or node ended; from the third time on it was alone there. */
  readonly suspected: number;
}

/** A job that a node holds: what it needs to complete it. Plain data, so that it passes to a script thread. */
export interface ClaimedJob extends Job, Claimed {
  readonly holder: Holder;
  readonly retryDelayMs: number;
}

export interface JobFailure {
  /** The body of the error. */
  readonly error: JsonObject;
  /** Epoch ms of the next attempt; null when there is none and the job is a dead letter. */
  readonly retryAt: number | null;
}

/**
 * What is done with the jobs of a queue. Everything that it stores through the unit of work is committed together
 * with the completion of the job, or not at all. It may run again after a conflict, so it keeps no state of its own.
 */
export interface JobHandler {
  /** @param fence for what the handler commits before its unit of work, or cannot take back */
  run(unitOfWork: UnitOfWork, job: Job, fence: Fence): Promise<void>;
  /**
   * Looks at several jobs of the queue at once, which costs the database less.
   *
   * @returns how they are done in units of work that keep what they write until the commit; one that fails, needs a
   *   transaction after all or is missing here is run by itself
   */
  workTogether?(jobs: readonly Job[]): Promise<ReadonlyMap<Job, JobWork>>;
  /**
   * What a job moves, where jobs that move the same have to wait for one another: few of them run at a time, and what
   * else is due comes before the others. Default: they are in nobody's way.
   */
  groupOf?(job: Job): string | undefined;
  /** Told of a job that has needed a transaction. */
  noteAlone?(job: Job): void;
  /** How long a job that has failed waits, in ms; undefined: as long as it was enqueued with. */
  pauseMs?(job: Job): number | undefined;
  /** Whether another attempt would fail as well; the job is a dead letter at once. */
  isFinal?(error: ResourceError): boolean;
  /** Where it failed: `at` for the log; all of it is kept with the error of a dead letter. */
  placeOf?(error: ResourceError): JobPlace | undefined;
  /** Stores what a failure means to the room, in the transaction that records it. */
  failed?(unitOfWork: UnitOfWork, job: Job, failure: JobFailure): Promise<void>;
}

export interface JobPlace extends JsonObject {
  readonly at: string;
}

export type JobWork = (unitOfWork: UnitOfWork) => Promise<void>;

export interface WorkerOptions {
  /** Units of work with jobs of the queue that one node runs at once. */
  readonly concurrency: number;
  /** Jobs that one unit of work may hold, when many are due; for handlers that can run several. Default 1. */
  readonly together?: number;
  /** Its handler needs a script thread. */
  readonly runsScripts: boolean;
  /** Default 2, so 3 attempts in all. */
  readonly retries?: number;
  /** Default 10 s. */
  readonly retryDelayMs?: number;
  /** A job that has ended so many nodes or threads while it ran, all but two of them alone, is given up. Default 3. */
  readonly losses?: number;
  /** The delay doubles from one attempt to the next. */
  readonly backoff?: boolean;
  /** A unit of work that takes longer has failed, and what it stores afterwards is refused. Default 15 min. */
  readonly limitMs?: number;
}

/** What the code has registered for a queue. */
export interface Worker {
  readonly name: string;
  readonly handler: JobHandler;
  readonly options: WorkerOptions;
}
