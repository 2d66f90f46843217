import { sql } from 'kysely';
import { openDatabase } from '../pool/database.ts';
import { LOCK_CLASS } from './lock-session.ts';

/**
 * Holds a lock of the cluster for as long as a transaction of its own is open, which also works through a pooler that
 * lends a session for no longer than that. The transaction sees nothing, so it keeps nobody waiting.
 *
 * @returns undefined when another node holds it
 */
export async function tryTransactionLock(url: string, key: number): Promise<AsyncDisposable | undefined> {
  await using scope = new AsyncDisposableStack();
  const database = openDatabase({ url, poolSize: 2 });
  scope.defer(() => database.close());
  const transaction = await database.startTransaction(0);
  scope.defer(async () => {
    await transaction
      .rollback()
      .execute()
      .catch(() => undefined);
    database.endTransaction(transaction);
  });
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction);
  // Sent without parameters: a statement with bound ones keeps its snapshot until the next statement, and building an index waits
  // for all snapshots.
  const { rows } = await sql<{ held: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(LOCK_CLASS)}, ${sql.lit(key)}) as held`.execute(transaction);
  return rows[0]?.held === true ? scope.move() : undefined;
}
