import { sql } from 'kysely';
import { type Db, isConnectionLost } from '#database/index.ts';

/** @throws when the connection is gone; a transaction that has failed is none of its concern */
export async function probe(db: Db): Promise<void> {
  await sql`select 1`.execute(db).catch((error: unknown) => {
    if (isConnectionLost(error)) throw error;
  });
}
