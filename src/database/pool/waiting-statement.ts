import { AsyncLocalStorage } from 'node:async_hooks';
import type { PostgresPool } from 'kysely';
import type pg from 'pg';
import { sessionOf, statementOf } from '../wire/pg-client.ts';

/**
 * Work that gives up, because its time is over or it belongs to somebody else, may leave a statement behind that still
 * waits, for a lock perhaps, and its rollback would wait behind it for as long. So Postgres is asked to cancel it.
 * Kysely does not tell on which connection a transaction runs, so that is noted as it is opened.
 */
export class WaitingStatements {
  readonly #pool: pg.Pool;
  readonly #opening = new AsyncLocalStorage<{ client?: pg.PoolClient }>();
  readonly #clients = new WeakMap<object, pg.PoolClient>();

  /** @param pool where connections are kept from transactions */
  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** A pool whose connections are noted for the transaction that is being opened. */
  note(pool: pg.Pool): PostgresPool {
    return {
      options: pool.options,
      connect: async () => {
        const opening = this.#opening.getStore();
        const client = await pool.connect();
        if (opening !== undefined) opening.client = client;
        return client;
      },
      end: () => pool.end(),
    };
  }

  async open<T extends object>(open: () => Promise<T>): Promise<T> {
    const opening: { client?: pg.PoolClient } = {};
    const transaction = await this.#opening.run(opening, open);
    if (opening.client !== undefined) this.#clients.set(transaction, opening.client);
    return transaction;
  }

  clientOf(transaction: object): pg.PoolClient {
    return this.#clients.get(transaction)!;
  }

  /** Resolves once Postgres has told the session. Nobody can be asked through a pooler: the statement goes on. */
  async cancel(transaction: object): Promise<void> {
    await this.cancelOn(this.clientOf(transaction));
  }

  /** As `cancel`, for whatever a connection waits for. */
  async cancelOn(client: pg.ClientBase): Promise<void> {
    const session = sessionOf(client);
    if (session === null || statementOf(client) === null) return;
    await this.#pool.query('select pg_cancel_backend($1)', [session]).catch(() => undefined);
  }
}
