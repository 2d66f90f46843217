import { sql } from 'kysely';
import type { Db } from '#database/index.ts';

/** Beyond it there is enough to do for whoever counts. */
const MOST_COUNTED = 10_000;

/** @returns how many jobs of all queues wait for a node now, 10,000 at most */
export async function countReadyJobs(db: Db): Promise<number> {
  const { rows } = await sql<{ ready: number }>`
    select count(*)::int as ready
    from (select from work_job where node_id is null and due_at <= clock_timestamp() limit ${MOST_COUNTED}) as waiting`.execute(
    db,
  );
  return rows[0]?.ready ?? 0;
}
