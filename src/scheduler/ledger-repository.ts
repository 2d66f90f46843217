import { sql } from 'kysely';
import type { Db } from '#database/index.ts';

/** Partitions ahead and retention, in one transaction. Gives up rather than hold up firings behind its lock. */
export async function keepLedger(db: Db, keepDays: number): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`set local lock_timeout = '2s'`.execute(transaction);
    await sql`select scheduler_firing_add_partitions(), scheduler_firing_prune(${keepDays} * interval '1 day')`.execute(
      transaction,
    );
  });
}
