import type { Db } from '../pool/database.ts';
import type { GroupedRow, GroupWrite } from './group-commit.ts';

/** Work that writes more has a transaction of its own. */
const MOST_PENDING = 100;

/** A part of the work whose failure the rest survives. */
export interface Savepoint {
  readonly name: string;
  /** How many rows are pending that were when it began. */
  rows: number;
  /** Whether Postgres knows of it. */
  isSet: boolean;
}

/** What a unit of work is going to write and has not sent, in its order, with the savepoints in between. */
export class PendingWrites {
  #rows: GroupedRow[] = [];
  readonly #savepoints: Savepoint[] = [];
  #made = 0;

  get rows(): readonly GroupedRow[] {
    return this.#rows;
  }

  hasRoomFor(count: number): boolean {
    return this.#rows.length + count <= MOST_PENDING;
  }

  add<Row>(write: GroupWrite<Row>, rows: readonly Row[]): void {
    for (const row of rows) this.#rows.push({ write, row });
  }

  /** The pending rows of one kind of write, the oldest first. */
  of<Row>(write: GroupWrite<Row>): readonly Row[] {
    return this.#rows.filter((pending) => pending.write === write).map(({ row }) => row as Row);
  }

  begin(): Savepoint {
    const savepoint = { name: `nested_${++this.#made}`, rows: this.#rows.length, isSet: false };
    this.#savepoints.push(savepoint);
    return savepoint;
  }

  /** A savepoint is over, and so are those within it that were left behind; `undo` forgets what came after it. */
  end(savepoint: Savepoint, undo: boolean): void {
    this.#savepoints.splice(this.#savepoints.indexOf(savepoint));
    if (undo) this.#rows.length = Math.min(this.#rows.length, savepoint.rows);
  }

  /** What is pending, which is somebody else's to send then. */
  take(): readonly GroupedRow[] {
    return this.#takeFirst(this.#rows.length);
  }

  /** What becomes pending then belongs to the savepoints that are open, whatever was pending before. */
  #takeFirst(count: number): readonly GroupedRow[] {
    for (const savepoint of this.#savepoints) savepoint.rows = Math.max(0, savepoint.rows - count);
    return this.#rows.splice(0, count);
  }

  /**
   * Sets the savepoints that are open where they belong, and sends what was written before the last of them.
   *
   * @returns false when a row could not be stored; the rest was not sent then
   */
  async setSavepoints(transaction: Db, set: (name: string) => Promise<void>): Promise<boolean> {
    for (const savepoint of this.#savepoints.filter(({ isSet }) => !isSet)) {
      for (const { write, row } of this.#takeFirst(savepoint.rows)) {
        const [stored] = await write.run(transaction, [row]);
        if (stored !== true) return false;
      }
      await set(savepoint.name);
      savepoint.isSet = true;
    }
    return true;
  }
}
