import { sql } from 'kysely';
import type { Db } from '#database/index.ts';

/** So many are woken at once; what is left comes in its time. */
const MOST_WOKEN = 1_000;

/**
 * Deliveries that have failed because something was not there are due, as if nobody had tried. Nobody waits for what is in other hands at
 * this moment.
 *
 * @param prints of what is there now
 * @returns the mappings of which there are some
 */
export async function takeWaiting(db: Db, prints: readonly string[]): Promise<readonly string[]> {
  const { rows } = await sql<{ mapping: string }>`
    with chosen as (
      select mapping, source_id from sync_outbox
      where waits_for = any(${sql.val(prints)}::text[]) and leased_by is null
      limit ${MOST_WOKEN} for update skip locked
    ), woken as (
      update sync_outbox o
      set waits_for = null, attempt = 0, is_dead = false, due_at = clock_timestamp(), generation = nextval('sync_generation')
      from chosen c where o.mapping = c.mapping and o.source_id = c.source_id returning o.mapping
    ) select distinct mapping from woken`.execute(db);
  return rows.map(({ mapping }) => mapping);
}
