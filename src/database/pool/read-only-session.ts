import type pg from 'pg';

/**
 * A session that was opened while a database or a role was set to be read-only stays so when that is over. Those that are
 * added to the answer are used once: the next one finds out anew.
 */
export function retireReadOnlySession(pool: pg.Pool): WeakSet<object> {
  const sessions = new WeakSet<object>();
  pool.on('release', (_error, client) => {
    if (sessions.has(client)) void client.end();
  });
  return sessions;
}
