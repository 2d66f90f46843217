import { sql } from 'kysely';
import type { Db } from '#database/index.ts';

/** One start of a starter after the other, on all nodes, until the transaction ends. */
export async function lockStarter(db: Db, starter: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`starts of ${starter}`}, 0))`.execute(db);
}

/** The instances under way that somebody has started, without those that these have called; none is counted beyond `most`. */
export async function countOpenInstances(db: Db, starter: string, most: number): Promise<number> {
  const { rows } = await sql<{ open: number }>`
    select count(*) as open
    from (select from workflow_instance
          where start_user_id = ${starter} and ended_at is null and super_instance_id is null
          limit ${most}) as found`.execute(db);
  return rows[0]!.open;
}
