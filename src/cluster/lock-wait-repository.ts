import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { oneRow } from '#database/index.ts';
import { IS_NODE_LOCK } from './node-repository.ts';

export interface LockWaits {
  /** Sessions that wait for a lock which somebody else holds. */
  readonly sessions: number;
  /** How long the first of them has been waiting; 0 when none does. */
  readonly oldestSeconds: number;
}

/** What waits in the sessions of a node. That nodes wait for each other's end is how they watch over one another. */
export async function findLockWaits(db: Db, applicationName: string): Promise<LockWaits> {
  const { rows } = await sql<LockWaits>`
    select count(*)::int as sessions,
           coalesce(extract(epoch from max(clock_timestamp() - l.waitstart)), 0)::float8 as "oldestSeconds"
    from pg_locks l join pg_stat_activity a using (pid)
    where not l.granted and a.datname = current_database() and a.application_name = ${applicationName}
      and not (${IS_NODE_LOCK})`.execute(db);
  return oneRow(rows);
}
