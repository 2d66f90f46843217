import { AsyncLocalStorage } from 'node:async_hooks';
import { ServiceUnavailableError } from '#errors/index.ts';
import { troubled } from './database-error.ts';

/** What takes no longer is work; of that, a request may have as much as its budget allows. */
const WORK_MS = 100;

const current = new AsyncLocalStorage<DatabaseWait>();

/**
 * How long a request waits for the database in all: for a connection, for rows that others hold, for answers, for its commit. When that
 * is over it is given up, wherever it stands.
 */
export class DatabaseWait {
  readonly #mostMs: number;
  /** Rejects when it is over. */
  readonly #over: Promise<never>;
  readonly #end: (error: unknown) => void;
  #spentMs = 0;
  #open = 0;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Why nobody waits any more; undefined while somebody does. */
  failure: ServiceUnavailableError | undefined;

  constructor(mostMs: number) {
    this.#mostMs = mostMs;
    const { promise, reject } = Promise.withResolvers<never>();
    this.#over = promise;
    this.#end = reject;
    // Mostly nobody races with it at that moment.
    promise.catch(() => {});
  }

  get seconds(): number {
    return this.#mostMs / 1_000;
  }

  get leftMs(): number {
    return Math.max(0, this.#mostMs - this.#spentMs);
  }

  /** For how long the database is being waited for right now; 0 where nobody waits. */
  get openMs(): number {
    return this.#open > 0 ? performance.now() - this.#since : 0;
  }

  count(answer: Promise<unknown>): void {
    if (this.#isClosed) return;
    this.#open += 1;
    if (this.#open === 1) this.#since = performance.now();
    this.#timer ??= setTimeout(() => this.#look(), this.leftMs);
    const end = () => this.#leave();
    answer.then(end, end);
  }

  /** Ends as the work does, or fails when the wait is over before. */
  inTime<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#over]);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #leave(): void {
    this.#open -= 1;
    if (this.#open > 0) return;
    const ms = performance.now() - this.#since;
    if (ms >= WORK_MS) this.#spentMs += ms;
  }

  #look(): void {
    this.#timer = undefined;
    if (this.#open === 0 || this.#isClosed) return;
    const leftMs = this.leftMs - (performance.now() - this.#since);
    // Timers may be early by a part of a millisecond.
    if (leftMs > 1) this.#timer = setTimeout(() => this.#look(), leftMs);
    else this.#giveUp();
  }

  #giveUp(): void {
    this.failure = slow(`The database has kept the request waiting for ${this.seconds} s`);
    this.#end(this.failure);
  }
}

function slow(what: string): ServiceUnavailableError {
  const error = new ServiceUnavailableError(`${what}; nothing was changed`, {
    id: 'DB_SLOW',
    hint: 'Try again in a moment. SVC_REQUEST_DEADLINE says how long a request waits',
    cause: new Error('the database does not answer in time'),
  });
  return troubled(error, 'unreachable');
}

/** Work that waits for the database no longer than that. */
export async function withDatabaseWait<T>(mostMs: number, work: () => Promise<T>): Promise<T> {
  const wait = new DatabaseWait(mostMs);
  try {
    return await current.run(wait, work);
  } finally {
    wait.close();
  }
}

/** The wait of the request that the calling code works for; undefined for what the server does of its own accord. */
export function databaseWait(): DatabaseWait | undefined {
  return current.getStore();
}

/**
 * Why a script has used up its time, where that is because it waits for one answer of the database; undefined where it
 * has gone on asking, as one without an end does.
 */
export function slowForScript(timeoutMs: number): ServiceUnavailableError | undefined {
  const openMs = current.getStore()?.openMs ?? 0;
  if (openMs < timeoutMs / 2) return undefined;
  return slow('The database has kept a script waiting for longer than it may take');
}

/** Has what is waited for count. @returns the same */
export function counted<T>(answer: Promise<T>): Promise<T> {
  current.getStore()?.count(answer);
  return answer;
}

/** A statement that changes nothing need not be undone: it is only not waited for. */
export function inTime<T>(work: Promise<T>): Promise<T> {
  return current.getStore()?.inTime(work) ?? work;
}
