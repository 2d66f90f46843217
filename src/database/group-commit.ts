import { Batcher } from './batcher.ts';
import type { Database, Db } from './database.ts';
import { isConnectionLost } from './sql-state.ts';

/**
 * A kind of row that many units of work can write with one statement. There is one of it per table, so that rows of
 * the same kind are known as such.
 */
export interface GroupWrite<Row = never> {
  /** Answers for each row whether it was stored; one that could not be, such as a taken id, spoils no other. */
  run(db: Db, rows: readonly Row[]): Promise<readonly boolean[]>;
}

export interface GroupedRow {
  readonly write: GroupWrite;
  readonly row: unknown;
}

const MAX_IN_FLIGHT = 4;
const MAX_BATCH = 200;
const groups = new WeakMap<Database, Batcher<readonly GroupedRow[], boolean>>();

/**
 * Commits what a unit of work has to write, together with others that end at the same time: a commit waits for the
 * disk, however little is in it.
 *
 * @returns false when a row of this unit of work could not be stored; then none of them is
 */
export function commitInGroup(database: Database, rows: readonly GroupedRow[]): Promise<boolean> {
  let group = groups.get(database);
  if (group === undefined) {
    group = new Batcher({
      maxInFlight: MAX_IN_FLIGHT,
      maxBatch: MAX_BATCH,
      run: (units) => commitUnits(database.db, units),
      // Whether it was committed is not known, and twice would be worse than an error.
      mayRepeat: (error) => !isConnectionLost(error),
    });
    groups.set(database, group);
  }
  return group.add(rows);
}

async function commitUnits(db: Db, units: readonly (readonly GroupedRow[])[]): Promise<readonly boolean[]> {
  const kinds = Map.groupBy(units.flat(), ({ write }) => write);
  const [only] = kinds.keys();
  if (only !== undefined && kinds.size === 1 && units.every((rows) => rows.length === 1)) {
    return runAll(db, only, kinds.get(only)!);
  }
  const transaction = await db.startTransaction().execute();
  try {
    const stored = new Set<GroupedRow>();
    for (const [write, rows] of kinds) {
      const answers = await runAll(transaction as unknown as Db, write, rows);
      for (const [index, row] of rows.entries()) if (answers[index] === true) stored.add(row);
    }
    const whole = units.map((rows) => rows.every((row) => stored.has(row)));
    if (whole.every(Boolean)) {
      await transaction.commit().execute();
      return whole;
    }
    if (units.length > 1) throw new PartOfGroup();
    await transaction.rollback().execute();
    return whole;
  } catch (error) {
    if (!transaction.isCommitted && !transaction.isRolledBack) {
      await transaction
        .rollback()
        .execute()
        .catch(() => undefined);
    }
    throw error;
  }
}

function runAll(db: Db, write: GroupWrite, rows: readonly GroupedRow[]): Promise<readonly boolean[]> {
  return write.run(db, rows.map(({ row }) => row) as never[]);
}

/** One unit of work of a group cannot be stored, so the group is tried again in parts. */
class PartOfGroup extends Error {}
