import type { Database, Db, Transaction } from '../pool/database.ts';
import { isConnectionLost } from '../pool/sql-state.ts';
import type { Actor, Change } from './change.ts';
import { type Effect, type LogEntry, sendWakes, type Wake } from './effect.ts';
import {
  commitInGroup,
  type GroupedRow,
  type GroupWrite,
  isContended,
  isOfItsRows,
  meaningOfLostRows,
  statementsFor,
} from './group-commit.ts';
import { HeldStatements } from './held-statements.ts';
import { PendingWrites } from './pending-writes.ts';
import { Trace } from './trace.ts';
import { type HeldStatement, TransactionStatements } from './transaction-statements.ts';
import { NeedsTransaction, RefusedRow } from './work-failure.ts';
import { WorkNotes } from './work-notes.ts';
import type { WorkOptions } from './work-options.ts';
import { WorkParts } from './work-parts.ts';

/**
 * All that one request changes. The transaction opens at the first use of `db` and ends with the request:
 * an error means that nothing changed. Nested requests join it; one that the caller may survive runs under a
 * savepoint. Rows that are given to `write` before there is a transaction are pending: if nothing else is asked of the
 * database, they are committed together with the rows of other requests.
 */
export class UnitOfWork {
  readonly dryRun: boolean;
  /** The actor of the first request that works in it; absent where the server works without a request. */
  actor: Actor | undefined;
  readonly #database: Database;
  /** Whether rows may be pending: what they are made of is read without a lock, and anew with one where somebody was faster. */
  readonly mayGroup: boolean;
  readonly #options: WorkOptions;
  #transaction: Promise<Transaction> | undefined;
  /** The transaction as everybody else has it. */
  #statements: Promise<TransactionStatements> | undefined;
  readonly #held = new HeldStatements();
  #holding: Transaction | undefined;
  readonly #pending = new PendingWrites();
  readonly #parts = new WorkParts();
  readonly #last: GroupedRow[] = [];
  #isStopped = false;
  #isRefused = false;
  readonly #notes = new WorkNotes();
  readonly trace = new Trace();
  readonly log: LogEntry[] = [];

  constructor(database: Database, options: WorkOptions = {}) {
    this.#database = database;
    this.#options = options;
    this.dryRun = options.dryRun ?? false;
    this.mayGroup = !this.dryRun && (options.mayGroup ?? true);
  }

  get changes(): readonly Change[] {
    return this.#notes.changes;
  }

  get effects(): readonly Effect[] {
    return this.#notes.effects;
  }

  /** Whether anything has been asked of the transaction, or is to be written. */
  get isOpen(): boolean {
    return this.#transaction !== undefined || this.#pending.rows.length > 0;
  }

  /** The transaction, opened now if it is not yet. What is asked of it together leaves together. */
  async db(): Promise<Db> {
    this.#parts.requireGoesOn();
    const { db } = await this.#sending();
    this.#parts.requireGoesOn();
    this.#holdPending();
    return db;
  }

  /** Has a statement that nobody waits for leave with the next one, which fails if it fails. */
  async hold(statement: HeldStatement): Promise<void> {
    await this.db();
    this.#parts.requireGoesOn();
    this.#held.add(statement);
    // In a rehearsal, and where somebody was faster, each step is told by itself how it went.
    if (!this.mayGroup) await this.#flush();
  }

  #sending(): Promise<TransactionStatements> {
    this.#statements ??= this.#own().then((transaction) =>
      TransactionStatements.of(
        transaction,
        { take: () => this.#takeHeld(), fail: (error) => this.#held.fail(error) },
        this.#parts,
        this.#options.onStatement,
      ),
    );
    return this.#statements;
  }

  #takeHeld(): readonly HeldStatement[] {
    this.#holdPending();
    return this.#held.take();
  }

  /** What is pending goes in front of what is asked for next. */
  #holdPending(): void {
    const rows = this.#pending.take();
    if (rows.length === 0) return;
    const meaning = (error: unknown) => this.#refusedBy(error) ?? error;
    this.#held.add(...statementsFor(rows).map((statement) => ({ statement, meaning })));
  }

  /** Sends what is held, and waits for it. */
  async #flush(): Promise<void> {
    this.#holdPending();
    if (!this.#held.isEmpty) await (await this.#sending()).flush();
  }

  /** Where a row could not be stored that was taken for stored. */
  #refusedBy(error: unknown): RefusedRow | undefined {
    if (!isOfItsRows(error)) return undefined;
    this.#isRefused = true;
    return new RefusedRow();
  }

  #own(): Promise<Transaction> {
    this.#isStopped = this.#options.mayOpen === false;
    if (this.#isStopped) return Promise.reject(new NeedsTransaction());
    this.#transaction ??= this.#open();
    return this.#transaction;
  }

  /** Where to read what needs no lock: the transaction once there is something in it, and until then the pool. */
  async reader(): Promise<Db> {
    return this.isOpen ? this.db() : this.#beside();
  }

  /** The pool, for a statement. */
  #beside(): Db {
    this.#options.onStatement?.();
    return this.#database.db;
  }

  /** As `reader`, for what no pending row is about: they stay pending. */
  async readerBesidePending(): Promise<Db> {
    return this.#transaction === undefined ? this.#beside() : this.db();
  }

  /**
   * Whether something that is read without a lock may be changed by a pending row: as far as is known, nobody else
   * changes it.
   */
  mayBePending(key: string): boolean {
    return this.isLight && !isContended(this.#database, key);
  }

  /** Whether all that it writes is pending. */
  get isLight(): boolean {
    return this.mayGroup && this.#transaction === undefined;
  }

  /** Why the work is void, whatever it made of that: it needed a transaction and might not have one, or was refused. */
  get stopped(): 'needsTransaction' | 'disturbed' | undefined {
    if (this.#isStopped) return 'needsTransaction';
    return this.#isRefused ? 'disturbed' : undefined;
  }

  get pendingRows(): readonly GroupedRow[] {
    return this.#pending.rows;
  }

  /** What was read without a lock has changed since: the unit of work runs again, with locks. */
  refuse(): never {
    this.#isRefused = true;
    throw new RefusedRow();
  }

  /** Rows of one kind that are pending, the oldest first. */
  pending<Row>(write: GroupWrite<Row>): readonly Row[] {
    return this.#pending.of(write);
  }

  /**
   * Writes a row, or keeps it for the commit when it is the first thing that is asked of the database, or may wait in a
   * transaction, too. A row that is kept and then cannot be stored makes the unit of work run again, without keeping rows.
   *
   * @returns false when the row could not be stored
   */
  async write<Row>(write: GroupWrite<Row>, row: Row): Promise<boolean> {
    const [stored] = await this.writeAll(write, [row]);
    return stored === true;
  }

  /** As `write`, for several rows with one statement. */
  async writeAll<Row>(write: GroupWrite<Row>, rows: readonly Row[]): Promise<readonly boolean[]> {
    if (!this.#pending.hasRoomFor(rows.length)) await this.db();
    this.#parts.requireGoesOn();
    if (this.isLight || (this.mayGroup && write.mayWait === true)) {
      this.#pending.add(write, rows);
      return rows.map(() => true);
    }
    const stored = await write.run(await this.db(), rows);
    // What it was made of was read without a lock: with one, it can be told what has happened.
    if (this.mayGroup && write.isGuarded === true && stored.includes(false)) this.refuse();
    return stored;
  }

  /** Writes rows together with the commit, which fails if it cannot keep them all: nothing may be asked of them before. */
  writeAtCommit<Row>(write: GroupWrite<Row>, rows: readonly Row[]): void {
    this.#parts.requireGoesOn();
    if (this.isLight) this.#pending.add(write, rows);
    else this.#last.push(...rows.map((row) => ({ write, row })));
  }

  async #open(): Promise<Transaction> {
    const { callers = 0, asker, beforeOpen, onOpen } = this.#options;
    await beforeOpen?.();
    const transaction = await this.#database.startTransaction(callers, asker);
    this.#holding = transaction;
    onOpen?.(transaction);
    this.#database.behindCommit(transaction, (send) => sendWakes(this.#notes.effects, send));
    try {
      const set = async (name: string) => void (await transaction.savepoint(name).execute());
      if (!(await this.#pending.setSavepoints(transaction, set))) throw new RefusedRow();
    } catch (error) {
      this.#isRefused = error instanceof RefusedRow;
      await transaction.rollback().execute();
      this.#letGo();
      throw error;
    }
    return transaction;
  }

  record(change: Change): void {
    this.#parts.requireGoesOn();
    this.#notes.changes.push(change);
  }

  /** Says whose the changes since then are, of which nobody has said so yet. */
  sign(since: number, actor: Actor): void {
    this.#notes.sign(since, actor);
  }

  /** Runs after the commit, in the order of registration; never in a dry run, never after a rollback. */
  afterCommit(what: string, does: Effect['run'] | Wake, options: Pick<Effect, 'isTold'> = {}): void {
    this.#parts.requireGoesOn();
    this.#notes.add(what, does, options);
  }

  /** Runs part of the work so that its failure leaves no trace: all of it is undone and forgotten, the rest goes on. */
  async savepoint<T>(work: () => Promise<T>, options: { keep: boolean } = { keep: true }): Promise<T> {
    this.#parts.requireGoesOn();
    if (!this.mayGroup) await this.#own();
    const transaction = await this.#transaction;
    if (transaction !== undefined) await this.#flush();
    this.#parts.requireGoesOn();
    const savepoint = this.#pending.begin();
    if (transaction !== undefined && !savepoint.isSet) {
      await transaction.savepoint(savepoint.name).execute();
      savepoint.isSet = true;
    }
    const last = this.#last.length;
    const forget = [this.#held.mark(), this.#notes.mark(), () => this.#last.splice(last)];
    const undo = async () => {
      this.#pending.end(savepoint, true);
      for (const each of forget) each();
      if (!savepoint.isSet) return;
      const own = await this.#own();
      await this.#database.cancelStatement(own);
      await own.rollbackToSavepoint(savepoint.name).execute();
      await own.releaseSavepoint(savepoint.name).execute();
    };
    try {
      const result = await this.#parts.run(work);
      this.#parts.requireGoesOn();
      // A rehearsal, too, is told what of it could not be done.
      if (!this.#held.isEmpty) await this.#flush();
      this.#held.requireDone();
      if (!options.keep) await undo();
      else {
        this.#pending.end(savepoint, false);
        if (savepoint.isSet) await (await this.#own()).releaseSavepoint(savepoint.name).execute();
      }
      return result;
    } catch (error) {
      // A broken connection cannot roll back to anything; the outer rollback takes care.
      if (!isConnectionLost(error) && !this.#isRefused && !this.#parts.isLeftBehind) await undo();
      throw error;
    }
  }

  /** A script makes of a failure what it likes; what the database said is remembered here. */
  noteFailure(error: unknown): void {
    this.#notes.noteFailure(error);
  }

  /** Why the database could not do its part, if that happened on the way. */
  get failure(): unknown {
    return this.#notes.failure;
  }

  async commit(): Promise<void> {
    // A script may have caught what was thrown when it became known.
    if (this.#isRefused) throw new RefusedRow();
    if (this.#transaction === undefined && this.#pending.rows.length > 0) {
      this.#parts.end();
      this.#isRefused = !(await commitInGroup(this.#database, this.#pending.rows));
      if (this.#isRefused) throw new RefusedRow();
      return;
    }
    // The answer to such a statement may be a reason not to commit.
    if (this.#held.hasChecks) await this.#flush();
    this.#held.requireDone();
    const waiting = this.#pending.take();
    const rows = [...waiting, ...this.#last];
    const meaning = (error: unknown) =>
      (waiting.length > 0 && this.#refusedBy(error)) || meaningOfLostRows(error);
    if (rows.length > 0) this.#held.add(...statementsFor(rows).map((statement) => ({ statement, meaning })));
    const isAsked = this.#transaction !== undefined || !this.#held.isEmpty;
    const statements = isAsked ? await this.#sending() : undefined;
    this.#parts.end();
    await statements?.commit();
    this.#letGo();
  }

  async rollback(): Promise<void> {
    this.#parts.end();
    const transaction = await this.#transaction?.catch(() => undefined);
    // Nobody wants the answer any more that it still waits for; then its connection works for somebody else.
    const isOver = transaction === undefined || transaction.isCommitted || transaction.isRolledBack;
    if (!isOver) await this.#database.cancelStatement(transaction);
    // The connection may be gone; then Postgres has rolled back already.
    await transaction
      ?.rollback()
      .execute()
      .catch(() => undefined);
    this.#letGo();
  }

  /** Once, though a rollback follows a failed commit. */
  #letGo(): void {
    if (this.#holding !== undefined) this.#database.endTransaction(this.#holding);
    this.#holding = undefined;
  }
}
