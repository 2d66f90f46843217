import { sql } from 'kysely';
import type { Db } from '#database/index.ts';

/** How many rows are looked at, at most, for how they have failed. */
const LOOKED_AT = 1_000;

/**
 * How many of a mapping that are tried again, or were given up within the hour, have failed alike, numbers in the words aside. What has
 * failed of late is due last, or was given up last: beyond those nothing is looked at, however long the queue is.
 */
export async function countAlike(
  db: Db,
  mapping: string,
  { id, message }: { readonly id: string | null; readonly message: string },
): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n
    from (
      (select mapping, attempt, error, due_at from sync_outbox
       where mapping = ${mapping} and not is_dead and not is_held order by due_at desc limit ${LOOKED_AT})
      union all
      (select mapping, 1, error, due_at from sync_outbox where is_dead order by due_at desc limit ${LOOKED_AT})
    ) latest
    where mapping = ${mapping} and attempt > 0 and due_at > clock_timestamp() - interval '1 hour'
      and (error ->> 'id') is not distinct from ${id}
      and regexp_replace(error ->> 'message', '\\d+', 'n', 'g') = regexp_replace(${message}, '\\d+', 'n', 'g')`.execute(
    db,
  );
  return rows[0]?.n ?? 0;
}
