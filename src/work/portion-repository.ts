import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';

/** Tables of portions: rows of a run (`run_id`) by their `number`, and by the `lane` that has them. */
type Portions = 'scan_slice' | 'recon_chunk';

/** The number of the portion that the lane has begun, else of the next that nobody has. */
export function portionFor(table: Portions, run: string, lane: number): RawBuilder<number> {
  return sql<number>`coalesce(
    (select number from ${sql.table(table)} where run_id = ${run} and lane = ${lane} limit 1),
    (select number from ${sql.table(table)} where run_id = ${run} and lane is null
     order by number limit 1 for update skip locked))`;
}

export async function hasFreePortions(db: Db, table: Portions, run: string): Promise<boolean> {
  const { rows } = await sql`
    select from ${sql.table(table)} where run_id = ${run} and lane is null limit 1`.execute(db);
  return rows.length > 0;
}
