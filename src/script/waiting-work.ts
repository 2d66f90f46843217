import { ServiceUnavailableError } from '#errors/index.ts';
import { Lane, nobodyWaits } from '#lifecycle/index.ts';
import type { Job } from './script-thread.ts';

/** How many jobs wait in each lane; each holds the body of its request in memory. */
const MOST_WAITING = 2_000;
/** Some time longer than a script may run. */
const LONGEST_WAIT_MS = 30_000;
/** For so long a caller whose script has held a thread counts as slow. */
const SLOW_FOR_MS = 60_000;
/** Even while others always have work, one turn in so many is of the slow callers. */
const TURN_OF_SLOW = 4;
/** The server, which is patient and never refused. */
const SERVER = 'server';

/**
 * Work for which no thread is free. Callers take turns, the server among them; those whose scripts have held threads come
 * behind all others.
 */
export class WaitingWork {
  readonly #quick = new Lane<Job>(MOST_WAITING);
  readonly #slow = new Lane<Job>(MOST_WAITING);
  /** Callers that count as slow, and until when. */
  readonly #slowCallers = new Map<string, number>();
  readonly #longestWaitMs: number;
  #turns = 0;

  constructor(longestWaitMs = LONGEST_WAIT_MS) {
    this.#longestWaitMs = longestWaitMs;
  }

  get size(): number {
    return this.#quick.size + this.#slow.size;
  }

  isSlow({ work: { caller } }: Job): boolean {
    return caller !== undefined && this.#slowCallers.has(caller);
  }

  /** Whether anybody but that caller has work waiting. */
  hasOthers(caller: string): boolean {
    return this.size > this.#quick.lengthOf(caller) + this.#slow.lengthOf(caller);
  }

  add(job: Job): void {
    this.#laneOf(job).add(callerOf(job), job)?.reject(crowded());
  }

  putBack(job: Job): void {
    this.#laneOf(job).putBack(callerOf(job), job);
  }

  /**
   * @param mayBeSlow whether there is a thread for those, too
   * @param hasRoom whether there is one in which the caller has not as much as may be at once
   */
  take(mayBeSlow: boolean, hasRoom: (caller: string | undefined) => boolean = () => true): Job | undefined {
    this.#turns += 1;
    const isTurn = (caller: string) => hasRoom(caller === SERVER ? undefined : caller);
    for (;;) {
      const job = this.#next(mayBeSlow, isTurn);
      if (job === undefined || !isLeft(job)) return job;
      job.reject(nobodyWaits());
    }
  }

  #next(mayBeSlow: boolean, isTurn: (caller: string) => boolean): Job | undefined {
    if (!mayBeSlow) return this.#quick.take(isTurn);
    return this.#turns % TURN_OF_SLOW === 0
      ? (this.#slow.take(isTurn) ?? this.#quick.take(isTurn))
      : (this.#quick.take(isTurn) ?? this.#slow.take(isTurn));
  }

  /** A script of that caller has held a thread for long. */
  noteSlow(caller: string, now: number): void {
    this.#slowCallers.set(caller, now + SLOW_FOR_MS);
    for (const job of this.#quick.takeAll(caller)) this.add(job);
  }

  /** What waits of that caller is not run. */
  refuse(caller: string): void {
    for (const lane of [this.#quick, this.#slow]) {
      for (const job of lane.takeAll(caller)) job.reject(crowded());
    }
  }

  /** Nobody is kept waiting without end, and nobody is slow for ever. */
  expire(now: number): void {
    const isOver = ({ since, work }: Job) => work.caller !== undefined && now - since > this.#longestWaitMs;
    for (const lane of [this.#quick, this.#slow]) {
      for (const job of lane.takeOver(isOver)) job.reject(waitedLong(this.#longestWaitMs));
    }
    for (const [caller, until] of this.#slowCallers) if (until < now) this.#slowCallers.delete(caller);
  }

  refuseAll(why: () => Error): void {
    for (let job = this.take(true); job !== undefined; job = this.take(true)) job.reject(why());
  }

  #laneOf(job: Job): Lane<Job> {
    return this.isSlow(job) ? this.#slow : this.#quick;
  }
}

/** Whoever has asked has gone, and nothing has begun. */
function isLeft({ work: { caller, signal } }: Job): boolean {
  return caller !== undefined && signal?.aborted === true;
}

function callerOf({ work: { caller } }: Job): string {
  return caller ?? SERVER;
}

export function crowded(): ServiceUnavailableError {
  return new ServiceUnavailableError('Scripts of this caller have kept others waiting', {
    id: 'SCRIPT_CROWDED',
    hint: 'Send fewer long scripts at once, and try again',
  });
}

function waitedLong(waitedMs: number): ServiceUnavailableError {
  return new ServiceUnavailableError(`No script thread was free for ${waitedMs / 1_000} s`, {
    id: 'SCRIPT_NO_TURN',
    hint: 'Scripts of others hold all of them; try again, or give the node more (SVC_SCRIPT_THREADS)',
  });
}
