import { sql } from 'kysely';
import type { Db } from '#database/index.ts';

/**
 * How long a node of this database may be silent. On a busy machine a live node may need longer, which
 * a test that wants none to be given up has to allow: there a node is lost with its session only.
 */
export async function setLease(db: Db, seconds: number): Promise<void> {
  await sql`create or replace function svc_node_state(state text, seen_at timestamptz) returns text
    language sql stable parallel safe
    return case when state = 'down' then 'down'
                when seen_at < clock_timestamp() - ${sql.lit(`${seconds} s`)}::interval then 'lost'
                else 'running' end`.execute(db);
}

/** As shipped. */
export const LEASE_S = 3;
export const PATIENT_LEASE_S = 600;
