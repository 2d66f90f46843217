import { sql } from 'kysely';
import type { Database, Db } from '#database/index.ts';
import { type Service, Ticker } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';

const INTERVAL_MS = 3_600_000;

export interface MonthKeeperOptions {
  readonly database: Database;
  /** A table that is partitioned by month. */
  readonly table: 'scheduler_firing';
  /** How long its rows are kept, in days. */
  readonly keepDays: () => number;
  readonly observe: Observe;
}

/** Makes a table's months ahead of their time and drops those that are no longer kept, every hour on each node. */
export function monthKeeper({ database, table, keepDays, observe }: MonthKeeperOptions): Service {
  return new Ticker({
    name: `months of ${table}`,
    intervalMs: INTERVAL_MS,
    runOnce: () => keepMonths(database.db, table, keepDays()),
    observe,
  });
}

/** Gives up rather than hold up, behind its lock, those who write. */
async function keepMonths(db: Db, table: string, days: number): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`set local lock_timeout = '2s'`.execute(transaction);
    await sql`select ${sql.id(`${table}_add_partitions`)}(),
                     ${sql.id(`${table}_prune`)}(${days} * interval '1 day')`.execute(transaction);
  });
}
