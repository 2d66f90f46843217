import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';

const KEPT = 1_000;

/** Writes down what has become of the database itself; the oldest beyond a thousand go. */
export async function noteIncident(
  db: Db,
  kind: 'rolledBack' | 'restored' | 'takenAsItIs',
  by: string,
  detail: JsonObject,
): Promise<void> {
  await sql`
    with gone as (delete from incident where id <= (select id from incident order by id desc offset ${KEPT - 1} limit 1))
    insert into incident (kind, told_by, detail) values (${kind}, ${by}, ${JSON.stringify(detail)}::jsonb)`.execute(
    db,
  );
}
