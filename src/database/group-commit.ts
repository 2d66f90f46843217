import { type RawBuilder, sql } from 'kysely';
import { Batcher } from './batcher.ts';
import type { Database, Db } from './database.ts';
import { isConnectionLost, isTaken } from './sql-state.ts';

/**
 * A kind of row that many units of work can write with one statement. There is one of it per table, so that rows of
 * the same kind are known as such.
 */
export interface GroupWrite<Row = never> {
  /** The statement that stores all rows; it fails when one of them cannot be stored. */
  insert(rows: readonly Row[]): RawBuilder<unknown>;
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

/** Everything in one statement, which is a transaction of its own: one way to the database and back. */
async function commitUnits(db: Db, units: readonly (readonly GroupedRow[])[]): Promise<readonly boolean[]> {
  const kinds = Map.groupBy(units.flat(), ({ write }) => write);
  const [last, ...others] = [...kinds].map(([write, rows]) =>
    write.insert(rows.map(({ row }) => row) as never[]),
  );
  if (last === undefined) return [];
  const steps = others.map((insert, index) => sql`${sql.id(`step_${index + 1}`)} as (${insert})`);
  try {
    await (steps.length === 0 ? last : sql`with ${sql.join(steps)} ${last}`).execute(db);
    return units.map(() => true);
  } catch (error) {
    // Of several, the guilty one is found by trying them in parts.
    if (units.length > 1 || !isTaken(error)) throw error;
    return [false];
  }
}
