import { type ResourceError, ServiceUnavailableError, TooManyRequestsError } from '#errors/index.ts';
import { nobodyWaits } from '#lifecycle/index.ts';
import { troubled } from './database-error.ts';
import { counted } from './database-wait.ts';

/** The caller who asks for a connection; what the server does of its own accord has none. */
export interface Asker {
  /** Whoever shares it waits in one line. */
  readonly line: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly left?: AbortSignal | undefined;
  /** A transaction that is open already waits for what is asked. */
  readonly isOnTheWay?: boolean;
}

/** What a connection is held for: until the end of a transaction, or for one statement outside of any. */
export type Use = 'transaction' | 'statement';

export interface TurnsOptions {
  /** How many connections the pool has, 2 or more. */
  readonly connections: number;
  /** How long anybody waits for a turn. */
  readonly patienceMs: number;
}

interface Waiter {
  readonly use: Use;
  readonly begin: () => void;
  readonly giveUp: (error: Error) => void;
}

interface Line {
  busy: number;
  readonly waiting: Waiter[];
}

/** More of one caller than anybody who waits for an answer has under way. */
const MOST_WAITING = 100;
/** Connections that transactions leave to statements outside of them: one that waits for such a statement never waits for itself. */
const BESIDE_TRANSACTIONS = 1;
/** The part of the connections that one caller may have. */
const PART_OF_ONE = 1 / 3;
/** The part of the connections for what the server does of its own accord and for what needs one for a moment. */
const PART_OF_SERVER = 1 / 4;
/** The part of the connections for statements that a transaction of a caller waits for. */
const PART_ON_THE_WAY = 1 / 10;
const RETRY_SECONDS = 5;

/**
 * Who may have a connection of the pool for longer than a moment. Each caller has a share, of transactions and of queries that it
 * has made up, and waits in a line of its own for more; all callers together leave connections to the server.
 * Whoever waits leaves when nobody waits for the answer, and is told when its turn has not come in time.
 */
export class ConnectionTurns {
  readonly #patienceMs: number;
  readonly #mostTransactions: number;
  readonly #mostOfCallers: number;
  readonly #mostOfOne: number;
  readonly #server: Waiter[] = [];
  /** The order of the map is that in which the turns come. */
  readonly #lines = new Map<string, Line>();
  /** Statements on the way of transactions: each ends soon, so they need no fairness. */
  readonly #onTheWay: ConnectionTurns | undefined;
  #transactions = 0;
  #ofCallers = 0;
  #isTurnOfServer = true;

  constructor({ connections, patienceMs }: TurnsOptions, isOnTheWay = false) {
    const left = Math.max(2, Math.ceil(connections * PART_OF_SERVER));
    this.#patienceMs = patienceMs;
    this.#mostTransactions = connections - BESIDE_TRANSACTIONS;
    this.#mostOfCallers = isOnTheWay
      ? atLeastOne(connections * PART_ON_THE_WAY)
      : atLeastOne(connections - left);
    this.#mostOfOne = isOnTheWay ? this.#mostOfCallers : atLeastOne(connections * PART_OF_ONE);
    this.#onTheWay = isOnTheWay ? undefined : new ConnectionTurns({ connections, patienceMs }, true);
  }

  /** Runs what needs a connection while it has one. @throws as `enter` */
  async run<T>(asker: Asker, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter('statement', asker);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /**
   * @returns what to call, once, when the connection is needed no more
   * @throws ServiceUnavailableError `DB_BUSY` when its turn has not come in time; TooManyRequestsError `DB_SHARE_TAKEN` when the
   *   caller has all of its own, `DB_TOO_MANY` when a hundred of it are waiting; ResourceError 408 when whoever asks has left
   */
  async enter(use: Use, asker?: Asker): Promise<() => void> {
    if (asker?.isOnTheWay === true && this.#onTheWay !== undefined) {
      return this.#onTheWay.enter(use, { ...asker, isOnTheWay: false });
    }
    const line = asker === undefined ? undefined : this.#lineOf(asker.line);
    const waiting = line?.waiting ?? this.#server;
    if (waiting.length === 0 && this.#hasTurn(use, line)) this.#take(use, line);
    else await this.#wait(use, waiting, asker, line);
    return () => this.#leave(use, asker?.line);
  }

  #lineOf(name: string): Line {
    const known = this.#lines.get(name);
    if (known !== undefined) return known;
    const line: Line = { busy: 0, waiting: [] };
    this.#lines.set(name, line);
    return line;
  }

  #hasTurn(use: Use, line: Line | undefined): boolean {
    if (use === 'transaction' && this.#transactions >= this.#mostTransactions) return false;
    return line === undefined || (this.#ofCallers < this.#mostOfCallers && line.busy < this.#mostOfOne);
  }

  #take(use: Use, line: Line | undefined): void {
    if (use === 'transaction') this.#transactions += 1;
    if (line === undefined) return;
    this.#ofCallers += 1;
    line.busy += 1;
  }

  #leave(use: Use, name: string | undefined): void {
    if (use === 'transaction') this.#transactions -= 1;
    if (name !== undefined) {
      this.#ofCallers -= 1;
      const line = this.#lineOf(name);
      line.busy -= 1;
      this.#forgetIdle(name, line);
    }
    while (this.#begin());
  }

  #forgetIdle(name: string, { busy, waiting }: Line): void {
    if (busy === 0 && waiting.length === 0) this.#lines.delete(name);
  }

  /** The server and the callers take turns, and so do these among themselves. @returns whether anybody could begin */
  #begin(): boolean {
    const serverFirst = this.#isTurnOfServer;
    const hasBegun = serverFirst
      ? this.#beginOfServer() || this.#beginOfCallers()
      : this.#beginOfCallers() || this.#beginOfServer();
    if (hasBegun) this.#isTurnOfServer = !serverFirst;
    return hasBegun;
  }

  #beginOfServer(): boolean {
    const [first] = this.#server;
    if (first === undefined || !this.#hasTurn(first.use, undefined)) return false;
    this.#server.shift();
    this.#take(first.use, undefined);
    first.begin();
    return true;
  }

  /** Whoever has least at work comes first, and of those with as much whoever has had no turn for longest. */
  #beginOfCallers(): boolean {
    let next: { readonly name: string; readonly line: Line; readonly first: Waiter } | undefined;
    for (const [name, line] of this.#lines) {
      const [first] = line.waiting;
      if (first === undefined || !this.#hasTurn(first.use, line)) continue;
      if (next === undefined || line.busy < next.line.busy) next = { name, line, first };
    }
    if (next === undefined) return false;
    const { name, line, first } = next;
    line.waiting.shift();
    this.#take(first.use, line);
    this.#lines.delete(name);
    this.#lines.set(name, line);
    first.begin();
    return true;
  }

  async #wait(use: Use, waiting: Waiter[], asker: Asker | undefined, line: Line | undefined): Promise<void> {
    // What is under way goes on without its client as long as it need not wait.
    if (asker?.left?.aborted === true) {
      if (line !== undefined) this.#forgetIdle(asker.line, line);
      throw nobodyWaits();
    }
    if (line !== undefined && waiting.length >= MOST_WAITING) throw tooMany();
    const { promise, resolve: begin, reject } = Promise.withResolvers<void>();
    const giveUp = (error: Error) => {
      const at = waiting.indexOf(waiter);
      if (at < 0) return;
      waiting.splice(at, 1);
      if (asker !== undefined && line !== undefined) this.#forgetIdle(asker.line, line);
      reject(error);
    };
    const waiter: Waiter = { use, begin, giveUp };
    waiting.push(waiter);
    const timer = setTimeout(() => giveUp(this.#whyLate(line)), this.#patienceMs);
    const leave = () => giveUp(nobodyWaits());
    asker?.left?.addEventListener('abort', leave, { once: true });
    try {
      await counted(promise);
    } finally {
      clearTimeout(timer);
      asker?.left?.removeEventListener('abort', leave);
    }
  }

  #whyLate(line: Line | undefined): ResourceError {
    const waitedSeconds = this.#patienceMs / 1_000;
    if (line !== undefined && line.busy >= this.#mostOfOne) {
      return new TooManyRequestsError(
        `The database has been at work on ${line.busy} requests of yours for ${waitedSeconds} s, and one caller has no more at once; nothing was changed`,
        {
          id: 'DB_SHARE_TAKEN',
          hint: 'Send fewer slow requests at once',
          detail: { atOnce: this.#mostOfOne, retryAfterSeconds: RETRY_SECONDS },
        },
      );
    }
    const error = new ServiceUnavailableError(
      `The database has been at work on other requests for ${waitedSeconds} s; nothing was changed`,
      { id: 'DB_BUSY', hint: 'Try again in a moment' },
    );
    return troubled(error, 'unreachable');
  }
}

function atLeastOne(connections: number): number {
  return Math.max(1, Math.floor(connections));
}

function tooMany(): TooManyRequestsError {
  return new TooManyRequestsError(`${MOST_WAITING} requests of yours wait for the database already`, {
    id: 'DB_TOO_MANY',
    hint: 'Wait for the answers to some of them',
    detail: { retryAfterSeconds: RETRY_SECONDS },
  });
}
