import type pg from 'pg';
import { oneRow } from '../one-row.ts';
import { askPlace } from '../pool/current-server.ts';
import { admitSession, DatabaseClient } from '../pool/database-client.ts';
import { dropConnection, noteSession, sessionOf } from '../wire/pg-client.ts';

/** First key of the advisory locks; the second is the node's id. */
export const LOCK_CLASS = 0x5c1;
/** An answer that takes longer counts as none. */
const ANSWER_MS = 5_000;
/** How long one statement waits for the lock of another node. */
const WAIT_MS = 1_000;

/**
 * A database connection whose only purpose is to die with the process: it holds the node's advisory lock, and
 * the kernel closes it when the process is killed, so whoever waits for the lock knows within milliseconds.
 */
export class LockSession {
  readonly #client: pg.Client;
  #ended = false;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async open(
    url: string,
    applicationName: string,
    onLost: (error: unknown) => void,
  ): Promise<LockSession> {
    const client = new DatabaseClient({
      connectionString: url,
      application_name: applicationName,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: 5_000,
    });
    const session = new LockSession(client);
    client.on('error', (error) => session.#lose(error, onLost));
    client.on('end', () => session.#lose(new Error('Connection ended'), onLost));
    await client.connect();
    try {
      const place = await askPlace<{ pid: number }>(client, ', pg_backend_pid() as pid');
      noteSession(client, place.pid);
      if (session.number !== null) admitSession(client, url, place);
    } catch (error) {
      await session.close();
      throw error;
    }
    return session;
  }

  #lose(error: unknown, onLost: (error: unknown) => void): void {
    if (this.#ended) return;
    this.#ended = true;
    onLost(error);
  }

  /** @returns whether the lock is ours now; it stays until the session ends */
  async tryHold(nodeId: number): Promise<boolean> {
    const statement = {
      text: 'select pg_try_advisory_lock($1, $2) as held',
      values: [LOCK_CLASS, nodeId],
      query_timeout: ANSWER_MS,
    };
    try {
      const { rows } = await this.#client.query(statement);
      return rows[0]?.held === true;
    } catch (error) {
      // Whether the lock is held is not known; it is not once the session has ended.
      await this.close();
      throw error;
    }
  }

  /** What Postgres knows this session by; null when a pooler stands between. */
  get number(): number | null {
    return sessionOf(this.#client);
  }

  /** Resolves when the other node's session is gone. Rejects when this session ends first. */
  async waitForEndOf(nodeId: number): Promise<void> {
    // Waits in pieces: a statement that waits holds back vacuum for everybody.
    while (!(await this.#waitOnce(nodeId)));
    await this.#client.query('select pg_advisory_unlock($1, $2)', [LOCK_CLASS, nodeId]);
  }

  async #waitOnce(nodeId: number): Promise<boolean> {
    const { rows } = await this.#client.query<{ held: boolean }>(
      'select svc_wait_for_lock($1, $2, $3) as held',
      [LOCK_CLASS, nodeId, WAIT_MS],
    );
    return oneRow(rows).held;
  }

  get isOpen(): boolean {
    return !this.#ended;
  }

  async close(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    // Dropped and not ended: `end()` would wait for the statement that waits for a lock.
    dropConnection(this.#client);
  }
}
