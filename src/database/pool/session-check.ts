import { noteSession, sessionOf } from '../wire/pg-client.ts';
import { DatabaseClient } from './database-client.ts';

/**
 * Whether a connection to this URL is a session of Postgres that stays ours. A pooler such as PgBouncer lends its
 * sessions, for a transaction each, and invents the process id with which it greets its clients.
 */
export async function givesOwnSession(url: string): Promise<boolean> {
  const client = new DatabaseClient({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // An error between two statements would end the process; the next statement tells of it.
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    noteSession(client, rows[0]?.pid);
    return sessionOf(client) !== null;
  } finally {
    await client.end();
  }
}
