import { ServiceUnavailableError } from '#errors/index.ts';
import { backOff } from '#lifecycle/index.ts';
import type { Actor, Change } from './change.ts';
import type { Database, Db, Transaction } from './database.ts';
import { troubled } from './database-error.ts';
import { commitInGroup, type GroupedRow, type GroupWrite } from './group-commit.ts';
import { isConflict, isConnectionLost, isUnavailable, translateDatabaseError } from './sql-state.ts';
import { watched } from './watched-transaction.ts';

/** An effect outside the database that waits for the commit; a dry run lists it and does not cause it. */
export interface Effect {
  readonly what: string;
  readonly run: () => void | Promise<void>;
}

/** One step of the work, as a dry run reports it. */
export interface TraceEntry {
  readonly step: string;
  readonly resource: string;
  readonly ms: number;
}

/** A line that a script logged, as a dry run reports it. */
export interface LogEntry {
  readonly script: string;
  readonly level: string;
  readonly message: string;
}

/**
 * All that one request changes. The transaction opens at the first use of `db` and ends with the request:
 * an error means that nothing changed. Nested requests join it; one that the caller may survive runs under a
 * savepoint. Rows that are given to `write` before there is a transaction wait: if nothing else is asked of the
 * database, they are committed together with the rows of other requests.
 */
export class UnitOfWork {
  readonly dryRun: boolean;
  /** Of the first request that works in it; absent where the server does so without a request. */
  actor: Actor | undefined;
  readonly #database: Database;
  readonly #mayGroup: boolean;
  readonly #callers: number;
  readonly #onStatement: (() => void) | undefined;
  #transaction: Promise<Transaction> | undefined;
  /** The transaction as everybody else has it: each statement is told of before it is sent. */
  #shown: Promise<Db> | undefined;
  #holdsConnection = false;
  #waiting: GroupedRow[] = [];
  #isRefused = false;
  #depth = 0;
  #changes: Change[] = [];
  #effects: Effect[] = [];
  #failure: unknown;
  readonly trace: TraceEntry[] = [];
  readonly log: LogEntry[] = [];

  /**
   * @param options.mayGroup false writes each row at once, and says at once whether it could be. Default true
   * @param options.callers open units of work that wait for the end of this one
   * @param options.onStatement may refuse a statement by throwing
   */
  constructor(
    database: Database,
    options: { dryRun?: boolean; mayGroup?: boolean; callers?: number; onStatement?: () => void } = {},
  ) {
    this.#database = database;
    this.#onStatement = options.onStatement;
    this.#callers = options.callers ?? 0;
    this.dryRun = options.dryRun ?? false;
    this.#mayGroup = !this.dryRun && (options.mayGroup ?? true);
  }

  get changes(): readonly Change[] {
    return this.#changes;
  }

  get effects(): readonly Effect[] {
    return this.#effects;
  }

  /** Whether anything has been asked of the transaction, or is to be written. */
  get isOpen(): boolean {
    return this.#transaction !== undefined || this.#waiting.length > 0;
  }

  /** The transaction, opened now if it is not yet. */
  db(): Promise<Db> {
    this.#shown ??= this.#own().then((transaction) => watched(transaction, this.#onStatement));
    return this.#shown;
  }

  #own(): Promise<Transaction> {
    this.#transaction ??= this.#open();
    return this.#transaction;
  }

  /** Where to read what needs no lock: the transaction once there is one, and until then the pool. */
  async reader(): Promise<Db> {
    return this.isOpen ? this.db() : this.#database.db;
  }

  /**
   * Writes a row, or keeps it for the commit when it is the first thing that is asked of the database. A row that is
   * kept and then cannot be stored makes the unit of work run again, without keeping rows.
   *
   * @returns false when the row could not be stored
   */
  async write<Row>(write: GroupWrite<Row>, row: Row): Promise<boolean> {
    const [stored] = await this.writeAll(write, [row]);
    return stored === true;
  }

  /** As `write`, for several rows with one statement. */
  async writeAll<Row>(write: GroupWrite<Row>, rows: readonly Row[]): Promise<readonly boolean[]> {
    if (!this.#mayGroup || this.#transaction !== undefined) return write.run(await this.db(), rows);
    for (const row of rows) this.#waiting.push({ write: write as GroupWrite, row });
    return rows.map(() => true);
  }

  async #open(): Promise<Transaction> {
    const waiting = this.#waiting;
    this.#waiting = [];
    const transaction = await this.#database.startTransaction(this.#callers);
    this.#holdsConnection = true;
    try {
      for (const { write, row } of waiting) {
        const [stored] = await write.run(transaction, [row] as never[]);
        if (stored !== true) throw new RefusedRow();
      }
    } catch (error) {
      this.#isRefused = error instanceof RefusedRow;
      await transaction.rollback().execute();
      this.#letGo();
      throw error;
    }
    return transaction;
  }

  record(change: Change): void {
    this.#changes.push(change);
  }

  /** Says whose the changes since then are, of which nobody has said so yet. */
  sign(since: number, actor: Actor): void {
    for (let at = since; at < this.#changes.length; at++) {
      const change = this.#changes[at]!;
      if (change.actor === undefined) this.#changes[at] = { ...change, actor };
    }
  }

  /** Runs after the commit, in the order of registration; never in a dry run, never after a rollback. */
  afterCommit(what: string, run: () => void | Promise<void>): void {
    this.#effects.push({ what, run });
  }

  /**
   * Runs part of the work so that its failure leaves no trace: what it stored is rolled back, what it recorded
   * and registered is forgotten, and the rest goes on.
   */
  async savepoint<T>(work: () => Promise<T>, options: { keep: boolean } = { keep: true }): Promise<T> {
    const transaction = await this.#own();
    const name = `nested_${++this.#depth}`;
    const changes = this.#changes.length;
    const effects = this.#effects.length;
    const undo = async () => {
      await this.#database.cancelStatement(transaction);
      await transaction.rollbackToSavepoint(name).execute();
      await transaction.releaseSavepoint(name).execute();
      this.#changes = this.#changes.slice(0, changes);
      this.#effects = this.#effects.slice(0, effects);
    };
    await transaction.savepoint(name).execute();
    try {
      const result = await work();
      if (options.keep) await transaction.releaseSavepoint(name).execute();
      else await undo();
      return result;
    } catch (error) {
      // A broken connection cannot roll back to anything; the outer rollback takes care.
      if (!isConnectionLost(error)) await undo();
      throw error;
    } finally {
      this.#depth -= 1;
    }
  }

  /** A script makes of a failure what it likes; what the database said is remembered here. */
  noteFailure(error: unknown): void {
    const root = rootOf(error);
    if (isConflict(root) || isUnavailable(root)) this.#failure = root;
  }

  /** Why the database could not do its part, if that happened on the way. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Whether a row that waited for the commit could not be stored. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  async commit(): Promise<void> {
    // A script may have caught what was thrown when it became known.
    if (this.#isRefused) throw new RefusedRow();
    if (this.#transaction === undefined && this.#waiting.length > 0) {
      this.#isRefused = !(await commitInGroup(this.#database, this.#waiting));
      if (this.#isRefused) throw new RefusedRow();
      return;
    }
    const transaction = await this.#transaction;
    await transaction?.commit().execute();
    this.#letGo();
  }

  async rollback(): Promise<void> {
    const transaction = await this.#transaction?.catch(() => undefined);
    // What it still waits for is wanted no more.
    if (transaction !== undefined) await this.#database.cancelStatement(transaction);
    // The connection may be gone; then Postgres has rolled back already.
    await transaction
      ?.rollback()
      .execute()
      .catch(() => undefined);
    this.#letGo();
  }

  /** Once, though a rollback follows a failed commit. */
  #letGo(): void {
    if (!this.#holdsConnection) return;
    this.#holdsConnection = false;
    this.#database.endTransaction(this.#callers);
  }
}

/** A row that waited could not be stored: what was said of it on the way is not true. */
class RefusedRow extends Error {
  constructor() {
    super('a row that waited for the commit could not be stored');
  }
}

export interface UnitOfWorkOptions {
  readonly dryRun?: boolean;
  /** Open units of work that wait for the end of this one. Default 0. */
  readonly callers?: number;
  /** How often a unit of work may run in all when Postgres asks to try again. Default 5. */
  readonly attempts?: number;
  /** Told of each statement before it is sent; may refuse it by throwing. */
  readonly onStatement?: () => void;
  readonly onRetry?: (reason: string, attempt: number) => void;
  readonly onEffectError?: (what: string, error: unknown) => void;
}

type Witness = (unitOfWork: UnitOfWork) => Promise<void>;
const witnesses = new WeakMap<Database, Witness[]>();

/**
 * Has each unit of work that has changed something seen before its commit, by one witness after the other; what is
 * written there goes with it.
 */
export function beforeCommit(database: Database, witness: Witness): void {
  witnesses.set(database, [...(witnesses.get(database) ?? []), witness]);
}

/**
 * Runs `work` as one unit of work: commit when it resolves, rollback when it rejects or in a dry run. A
 * serialization failure, a deadlock or a connection lost before the commit runs it again from the start, a few
 * times with jitter, so `work` must not keep state between runs.
 *
 * @throws ResourceError 503 when the database cannot be reached or the attempts are used up
 */
export async function runUnitOfWork<T>(
  database: Database,
  options: UnitOfWorkOptions,
  work: (unitOfWork: UnitOfWork) => Promise<T>,
): Promise<T> {
  const { attempts = 5, dryRun = false, callers = 0 } = options;
  let mayGroup = true;
  for (let attempt = 1; ; attempt++) {
    const unitOfWork = new UnitOfWork(database, {
      dryRun,
      mayGroup,
      callers,
      ...(options.onStatement === undefined ? {} : { onStatement: options.onStatement }),
    });
    let committing = false;
    try {
      const result = await work(unitOfWork);
      if (unitOfWork.dryRun) {
        await unitOfWork.rollback();
        return result;
      }
      if (unitOfWork.changes.length > 0) {
        for (const witness of witnesses.get(database) ?? []) await witness(unitOfWork);
      }
      committing = true;
      await unitOfWork.commit();
      await runEffects(unitOfWork.effects, options);
      return result;
    } catch (error) {
      await unitOfWork.rollback();
      if (unitOfWork.isRefused) {
        mayGroup = false;
        continue;
      }
      // A connection lost while committing may have committed: running again could double the effects.
      const root = unitOfWork.failure ?? rootOf(error);
      if (committing && isConnectionLost(root)) throw unknownOutcome(error);
      const again = isConflict(root) || isUnavailable(root);
      if (!again || attempt >= attempts) throw translateDatabaseError(root);
      options.onRetry?.(String((error as Error).message), attempt);
      await backOff(attempt, 10, 250);
    }
  }
}

function unknownOutcome(cause: unknown): ServiceUnavailableError {
  const answer = new ServiceUnavailableError(
    'The database connection broke during the commit: the change may or may not have been stored',
    { id: 'DB_COMMIT_UNKNOWN', hint: 'Read the object before trying again', cause },
  );
  return troubled(answer, 'unknownOutcome');
}

async function runEffects(effects: readonly Effect[], options: UnitOfWorkOptions): Promise<void> {
  for (const effect of effects) {
    try {
      await effect.run();
    } catch (error) {
      options.onEffectError?.(effect.what, error);
    }
  }
}

/** A nested failure may arrive wrapped: the database's own error is then the innermost cause. */
function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  return isConflict(root) || isUnavailable(root) ? root : error;
}
