import { sql } from 'kysely';
import type { Db } from '#database/index.ts';

/** What a reconciliation joins with all of its entries. */
const JOINED = ['managed_object', 'sync_link', 'sync_state', 'recon_print'];
/** So few rows are joined quickly however it is done. */
const FEW_ROWS = 1_000;

/**
 * Has Postgres count anew what has grown since it did by itself, which it does about once a minute. A table that it takes for empty is joined
 * row by row, which takes as long as the square of what there is: as at a first reconciliation, and at one just after an import.
 */
export async function freshenStatistics(db: Db): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_stat_user_tables
    where relid = any(array(select to_regclass(name) from unnest(${sql.val(JOINED)}::text[]) name))
      and n_mod_since_analyze > ${FEW_ROWS} + n_live_tup / 10`.execute(db);
  for (const { name } of rows) await analyze(db, name);
}

/** The same of the entries that a transaction has just written, in that transaction. */
export async function countEntriesAnew(db: Db, entries: number): Promise<void> {
  if (entries > FEW_ROWS) await analyze(db, 'recon_entry');
}

/** Whoever does it already is not waited for. Where the role may not, Postgres leaves it out and warns. */
async function analyze(db: Db, table: string): Promise<void> {
  await sql`analyze (skip_locked) ${sql.table(table)}`.execute(db);
}
