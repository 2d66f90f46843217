import { type ControlledTransaction, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Tables } from './tables.ts';

/** Where statements go: the pool, or the transaction of a unit of work. */
export type Db = Kysely<Tables>;
export type Transaction = ControlledTransaction<Tables, string[]>;

export interface DatabaseOptions {
  readonly url: string;
  /** Most connections of this pool. Default 10. */
  readonly poolSize?: number;
  /** Shown in `pg_stat_activity`; take-over ends the sessions of a dead node by it. */
  readonly applicationName?: string;
  /** Longest time a session may sit inside a transaction without a statement. Default 60 s. */
  readonly idleInTransactionMs?: number;
  readonly onError?: (error: unknown) => void;
}

/** The pool of one thread, and Kysely over it. */
export interface Database {
  readonly db: Db;
  readonly pool: pg.Pool;
  readonly url: string;
  close(): Promise<void>;
}

// Counts and revisions are bigint; all of ours stay far below 2^53, and a string would break comparisons.
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => Number(text));

export function openDatabase(options: DatabaseOptions): Database {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize ?? 10,
    application_name: options.applicationName ?? 'svc',
    keepAlive: true,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: 10_000,
  });
  // An idle connection that breaks emits here; without a listener it would end the process.
  pool.on('error', (error) => options.onError?.(error));
  pool.on('connect', (client) => {
    // A broken connection during a query emits on the client as well as rejecting the query.
    client.on('error', (error) => options.onError?.(error));
    client
      .query(`set idle_in_transaction_session_timeout = ${options.idleInTransactionMs ?? 60_000}`)
      .catch((error: unknown) => options.onError?.(error));
  });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  let closed: Promise<void> | undefined;
  return {
    db,
    pool,
    url: options.url,
    close() {
      closed ??= db.destroy();
      return closed;
    },
  };
}
