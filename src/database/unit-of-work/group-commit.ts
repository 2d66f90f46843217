import { type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { firstOf } from '#json/index.ts';
import { tryingAll } from '../lock/named-lock.ts';
import type { Database, Db } from '../pool/database.ts';
import { PLANNED_ANEW } from '../pool/prepared-statements.ts';
import { isConnectionLost, isTaken, sqlStateOf } from '../pool/sql-state.ts';
import { Batcher } from './batcher.ts';
import { LockTime } from './lock-time.ts';

/**
 * A kind of row that many units of work can write with one statement. There is one of it per table, so that rows of
 * the same kind are known as such.
 */
export interface GroupWrite<Row = unknown> {
  /** Statements that store all rows of units of work; together they do so or fail. */
  steps(rows: readonly Row[]): readonly GroupStep[];
  /** Answers for each row whether it was stored; one that could not be, such as a taken id, spoils no other. */
  run(db: Db, rows: readonly Row[]): Promise<readonly boolean[]>;
  /** What the row is about, where only one unit of work of a group may write that. */
  keyOf?(row: Row): string;
  /** Whether a row is stored only if something is still as it was when it was read. */
  readonly isGuarded?: true;
  /**
   * Names that nobody else may hold from before the steps until the commit, so that what the steps find stays so. No
   * row waits for one: it cannot be stored then.
   */
  locksOf?(row: Row): readonly string[];
  /**
   * Whether a row may wait for the next statement or the commit in a transaction, too. That it could not be stored is known
   * only then, and the unit of work runs again.
   */
  readonly mayWait?: true;
  /** Whether the statement is planned anew each time: see `PLANNED_ANEW`. */
  readonly isPlannedAnew?: true;
}

export interface GroupStep {
  readonly statement: RawBuilder<unknown>;
  /** How many rows the statement returns when it has stored everything; absent when it fails otherwise. */
  readonly returns?: number;
  /** The name by which other steps of the same kind may refer to it. */
  readonly name?: string;
}

/** A row with the kind of write that takes it. */
export interface GroupedRow {
  readonly write: GroupWrite;
  readonly row: unknown;
}

const MAX_IN_FLIGHT = 4;
const MAX_BATCH = 200;
/** What units of work got in each other's way about is remembered for a moment, and the next ones lock it. */
const CONTENDED_MS = 2_000;
const MOST_CONTENDED = 10_000;
const contended = new WeakMap<Database, LRUCache<string, true>>();
const groups = new WeakMap<Database, Batcher<readonly GroupedRow[], boolean>>();
const lockTimes = new WeakMap<Database, LockTime>();

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
      bound: { weightOf: (rows) => rows.length, most: () => mostRowsTogether(database) },
      run: async (units) => {
        const stored = await commitUnits(database, units);
        for (const [index, unit] of units.entries())
          if (stored[index] !== true) noteContended(database, unit);
        return stored;
      },
      // Whether it was committed is not known, and twice would be worse than an error.
      mayRepeat: (error) => !isConnectionLost(error),
    });
    groups.set(database, group);
  }
  return group.add(rows);
}

/** How many rows go in one statement where others may wait for them; a unit of work goes whole. */
export function mostRowsTogether(database: Database): number {
  return lockTimeOf(database).mostRows;
}

function lockTimeOf(database: Database): LockTime {
  let lockTime = lockTimes.get(database);
  if (lockTime === undefined) {
    lockTime = new LockTime();
    lockTimes.set(database, lockTime);
  }
  return lockTime;
}

/** Whether somebody was faster about the same a moment ago; as `GroupWrite.keyOf` has it. */
export function isContended(database: Database, key: string): boolean {
  return contended.get(database)?.has(key) ?? false;
}

function noteContended(database: Database, unit: readonly GroupedRow[]): void {
  let keys = contended.get(database);
  if (keys === undefined) {
    keys = new LRUCache({ max: MOST_CONTENDED, ttl: CONTENDED_MS });
    contended.set(database, keys);
  }
  for (const { write, row } of unit) {
    const key = write.keyOf?.(row);
    if (key !== undefined) keys.set(key, true);
  }
}

/** Commits several units of work at once. @returns for each whether it was stored */
async function commitUnits(
  database: Database,
  units: readonly (readonly GroupedRow[])[],
): Promise<readonly boolean[]> {
  const late = followers(units);
  const first = units.filter((unit) => !late.has(unit));
  const refused = await commitTogether(database, first);
  return units.map((unit) => !late.has(unit) && !refused.has(unit));
}

/** The units that write what one before them writes: that one has the better right to it. */
function followers(units: readonly (readonly GroupedRow[])[]): ReadonlySet<readonly GroupedRow[]> {
  const writers = new Map<string, readonly GroupedRow[]>();
  const late = new Set<readonly GroupedRow[]>();
  for (const unit of units) {
    const keys = unit.flatMap(({ write, row }) => write.keyOf?.(row) ?? []);
    if (keys.some((key) => (writers.get(key) ?? unit) !== unit)) late.add(unit);
    else for (const key of keys) writers.set(key, unit);
  }
  return late;
}

/** @returns those that could not be stored; then nothing of them is */
async function commitTogether(
  database: Database,
  units: readonly (readonly GroupedRow[])[],
): Promise<ReadonlySet<readonly GroupedRow[]>> {
  if (units.length === 0) return new Set();
  try {
    await storeWithLocks(database, units.flat());
    return new Set();
  } catch (error) {
    if (units.length === 1 && isOfItsRows(error)) return new Set(units);
    if (!isTaken(error) && !isGuardBroken(error)) throw error;
    const guilty = await findGuilty(database.db, units);
    // Whatever stood in the way is gone; of several, the guilty one is found by trying them in parts.
    if (guilty.size === 0) throw error;
    const others = units.filter((unit) => !guilty.has(unit));
    return new Set([...guilty, ...(await commitTogether(database, others))]);
  }
}

/** All rows, in a transaction of their own and with one way to the database and back. */
async function storeWithLocks(database: Database, rows: readonly GroupedRow[]): Promise<void> {
  const statements = statementsFor(rows);
  const sentAt = performance.now();
  if (statements.length === 1) await statements[0]!.execute(database.db);
  else await database.runInOneWay(statements);
  lockTimeOf(database).note(rows.length, performance.now() - sentAt);
}

/**
 * The statements that store all rows. Their locks come in a statement before the others: what these see is as it is when the locks are
 * held.
 */
export function statementsFor(rows: readonly GroupedRow[]): readonly RawBuilder<unknown>[] {
  const names = [...new Set(rows.flatMap(({ write, row }) => write.locksOf?.(row) ?? []))].sort();
  return names.length === 0 ? [storeAll(rows)] : [tryLocks(names), storeAll(rows)];
}

/** @throws GUARD_BROKEN when somebody holds one */
function tryLocks(names: readonly string[]): RawBuilder<unknown> {
  return sql`
    select require_rows(count(*) filter (where held), count(*))
    from (${tryingAll(names)}) lock`;
}

/** Everything in one statement, which is a transaction of its own where it is not part of one. */
export function storeAll(rows: readonly GroupedRow[]): RawBuilder<unknown> {
  const kinds = Map.groupBy(rows, ({ write }) => write);
  const steps = [...kinds].flatMap(([write, ofKind]) => write.steps(ofKind.map(({ row }) => row)));
  const named = steps.map((step, index) => ({ ...step, name: sql.id(step.name ?? `step_${index + 1}`) }));
  const guards = named.flatMap(({ name, returns }) =>
    returns === undefined ? [] : sql`require_rows((select count(*) from ${name}), ${returns}::bigint)`,
  );
  if (guards.length === 0 && steps.length === 1) return firstOf(steps).statement;
  const tables = named.map(({ name, statement }) => sql`${name} as (${statement})`);
  const begin = [...kinds.keys()].some(({ isPlannedAnew }) => isPlannedAnew) ? sql.raw(PLANNED_ANEW) : sql``;
  return sql`${begin}with ${sql.join(tables)} select ${guards.length === 0 ? sql`1` : sql.join(guards)}`;
}

/** Stores all rows, or none. @throws LostRows */
export async function insertAll<Row>(db: Db, write: GroupWrite<Row>, rows: readonly Row[]): Promise<void> {
  await storeAll(rows.map((row) => ({ write, row })))
    .execute(db)
    .catch((error: unknown) => {
      throw meaningOfLostRows(error);
    });
}

/** The error where rows were not stored that nothing may keep from being stored. */
export function meaningOfLostRows(error: unknown): unknown {
  return isGuardBroken(error) ? new LostRows() : error;
}

/** The database has taken a statement, and not kept all rows of it. */
export class LostRows extends Error {
  constructor() {
    super('not all rows were kept by the database: is there a trigger on their table?');
  }
}

/** Tries everything, kind by kind, and takes all of it back. */
async function findGuilty(
  db: Db,
  units: readonly (readonly GroupedRow[])[],
): Promise<ReadonlySet<readonly GroupedRow[]>> {
  const guilty = new Set<readonly GroupedRow[]>();
  const over = new Error('looked through');
  await db
    .transaction()
    .execute(async (transaction) => {
      for (const [write, rows] of Map.groupBy(
        units.flatMap((unit) => unit.map((row) => ({ unit, ...row }))),
        ({ write }) => write,
      )) {
        const stored = await write.run(
          transaction,
          rows.map(({ row }) => row),
        );
        for (const [index, { unit }] of rows.entries()) if (stored[index] !== true) guilty.add(unit);
      }
      throw over;
    })
    .catch((error: unknown) => {
      if (error !== over) throw error;
    });
  return guilty;
}

/** Whether the rows are why, and not the moment: the unit runs again by itself, and is told where it writes them. */
export function isOfItsRows(error: unknown): boolean {
  return isGuardBroken(error) || /^(?:2[23]|54)/.test(sqlStateOf(error) ?? '');
}

/** What a row depends on has changed. */
function isGuardBroken(error: unknown): boolean {
  return sqlStateOf(error) === GUARD_BROKEN;
}

/** Raised by `require_rows`. */
const GUARD_BROKEN = 'SV001';
