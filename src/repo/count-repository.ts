import { type RawBuilder, sql } from 'kysely';
import { type Db, oneRow } from '#database/index.ts';

/** So few rows are counted rather than estimated, if the planner thinks that cheap: a tenth of a second, roughly. */
const COUNTED_ROWS = 10_000;
const COUNTED_COST = 50_000;

export interface RowCount {
  readonly total: number;
  /** It is what the planner expects, and not a count. */
  readonly estimated?: true;
}

/** @param matching a SELECT of the rows */
export async function countRows(db: Db, matching: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from (${matching}) matching`.execute(
    db,
  );
  return oneRow(rows).count;
}

/** What the planner expects, from its statistics, unless counting costs next to nothing: those of small tables are gathered late. */
export async function estimateRows(db: Db, matching: RawBuilder<unknown>): Promise<RowCount> {
  const first = sql`${matching} limit ${sql.lit(COUNTED_ROWS + 1)}`;
  if ((await planOf(db, first)).cost > COUNTED_COST) {
    return { total: (await planOf(db, matching)).rows, estimated: true };
  }
  const counted = await countRows(db, first);
  if (counted <= COUNTED_ROWS) return { total: counted };
  return { total: Math.max(counted, (await planOf(db, matching)).rows), estimated: true };
}

/** How many managed objects there are of each type, by its name: one statement, and one more for each type that has many. */
export async function countObjects(db: Db, types: readonly string[]): Promise<Map<string, RowCount>> {
  const counts = new Map<string, RowCount>();
  for (const { type, count } of await countUpTo(db, types, COUNTED_ROWS + 1)) {
    if (count <= COUNTED_ROWS) {
      counts.set(type, { total: count });
      continue;
    }
    counts.set(type, { total: Math.max(count, await expectedOf(db, type)), estimated: true });
  }
  return counts;
}

/** So many objects of a type are gone through in no time, whatever the planner takes them for. */
const FEW_OBJECTS = 2_000;
const MOST_MISJUDGED = 10;

/**
 * Types of which there is much more than the planner expects: a young one beside an old one that is large. For the one
 * object that it expects it takes any index, and that of the ids leads through all of them.
 */
export async function listMisjudged(db: Db, types: readonly string[]): Promise<readonly string[]> {
  const misjudged: string[] = [];
  for (const { type, count } of await countUpTo(db, types, FEW_OBJECTS)) {
    if (count < FEW_OBJECTS) continue;
    if ((await expectedOf(db, type)) * MOST_MISJUDGED < count) misjudged.push(type);
  }
  return misjudged;
}

async function countUpTo(db: Db, types: readonly string[], most: number) {
  const { rows } = await sql<{ type: string; count: number }>`
    select asked.type, (
      select count(*) from (
        select from managed_object o where o.type = asked.type limit ${sql.lit(most)}) counted
    ) as count
    from unnest(${sql.val(types)}::text[]) asked (type)`.execute(db);
  return rows;
}

async function expectedOf(db: Db, type: string): Promise<number> {
  return (await planOf(db, sql`select from managed_object where type = ${sql.lit(type)}`)).rows;
}

async function planOf(db: Db, query: RawBuilder<unknown>): Promise<{ rows: number; cost: number }> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number; 'Total Cost': number } }] }>`
    explain (format json) ${query}`.execute(db);
  const plan = oneRow(rows)['QUERY PLAN'][0].Plan;
  return { rows: Math.round(plan['Plan Rows']), cost: plan['Total Cost'] };
}
