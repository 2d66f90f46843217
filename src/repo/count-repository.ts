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
  const { rows } = await sql<{ type: string; count: number }>`
    select asked.type, (
      select count(*) from (
        select from managed_object o where o.type = asked.type limit ${sql.lit(COUNTED_ROWS + 1)}) counted
    ) as count
    from unnest(${sql.val(types)}::text[]) asked (type)`.execute(db);
  const counts = new Map<string, RowCount>();
  for (const { type, count } of rows) {
    if (count <= COUNTED_ROWS) {
      counts.set(type, { total: count });
      continue;
    }
    const plan = await planOf(db, sql`select from managed_object where type = ${sql.lit(type)}`);
    counts.set(type, { total: Math.max(count, plan.rows), estimated: true });
  }
  return counts;
}

async function planOf(db: Db, query: RawBuilder<unknown>): Promise<{ rows: number; cost: number }> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number; 'Total Cost': number } }] }>`
    explain (format json) ${query}`.execute(db);
  const plan = oneRow(rows)['QUERY PLAN'][0].Plan;
  return { rows: Math.round(plan['Plan Rows']), cost: plan['Total Cost'] };
}
