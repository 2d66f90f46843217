import {
  CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  Kysely,
  type QueryExecutor,
  Transaction,
} from 'kysely';
import { ResourceError } from '#errors/index.ts';
import type { Tables } from '../tables.ts';
import type { Asker, ConnectionTurns } from './connection-turns.ts';
import { sqlStateOf } from './sql-state.ts';

/** Stand-ins for what a Kysely is made with: of a database that is open already only the executor is used. */
export const UNUSED = { config: {} as never, dialect: {} as never, driver: {} as never };

/**
 * No more time than there was: whoever runs Postgres may have set a shorter bound for the role, and a transaction one of its own.
 * Both calls are one expression, so that what was is noted before it is another.
 */
const BOUND = `select set_config('statement_timeout', least(nullif(extract(epoch from
  set_config('svc.former_timeout', current_setting('statement_timeout'), true)::interval) * 1000, 0)::bigint, $1::bigint)::text, true)`;
const AS_BEFORE = `select set_config('statement_timeout', current_setting('svc.former_timeout'), true)`;
const CANCELLED = '57014';
/** Postgres begins to count before the answer is waited for, and tells of it when it pleases. */
const COUNTED_ALIKE = 0.9;

export interface StatementBounds {
  readonly mostMs: number;
  /** Turns for statements outside of a transaction, which has its connection already. */
  readonly turns: ConnectionTurns;
  readonly asker: Asker;
}

/**
 * The same statements, each of which Postgres itself ends after some time: it goes on with one whose node has died, and a pooler
 * has nobody to ask to cancel it. The bound is set in the transaction of the statement, since sessions may be shared, and leaves
 * with it: one way to the database, as without.
 *
 * @throws ResourceError 422 `QUERY_TOO_SLOW` from a statement whose time is over
 */
export function boundStatements(db: Kysely<Tables>, bounds: StatementBounds): Kysely<Tables> {
  const executor = db.getExecutor();
  const wire = new BoundedWire(executor, bounds, db.isTransaction);
  const own = { ...UNUSED, executor: executor.withConnectionProvider(wire) };
  return db.isTransaction ? new Transaction<Tables>(own) : new Kysely<Tables>(own);
}

class BoundedWire implements ConnectionProvider {
  readonly #executor: QueryExecutor;
  readonly #mostMs: number;
  readonly #turn: <T>(work: () => Promise<T>) => Promise<T>;
  readonly #isTransaction: boolean;

  constructor(executor: QueryExecutor, { mostMs, turns, asker }: StatementBounds, isTransaction: boolean) {
    this.#executor = executor;
    this.#mostMs = mostMs;
    this.#isTransaction = isTransaction;
    this.#turn = (work) => (isTransaction ? work() : turns.run(asker, work));
  }

  provideConnection<T>(consumer: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
    return this.#turn(() => this.#send(consumer));
  }

  #send<T>(consumer: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
    return this.#executor.provideConnection(async (connection) => {
      const send = (text: string, parameters: unknown[] = []) =>
        connection.executeQuery(CompiledQuery.raw(text, parameters));
      if (!this.#isTransaction) await send('begin');
      const begin = performance.now();
      const bound = send(BOUND, [this.#mostMs]);
      const answer = consumer(connection);
      // What comes next in a transaction is the server's own work.
      const end = send(this.#isTransaction ? AS_BEFORE : 'commit');
      for (const outcome of await Promise.allSettled([bound, answer, end])) {
        if (outcome.status === 'rejected') throw this.#meaningOf(outcome.reason, performance.now() - begin);
      }
      return answer;
    });
  }

  #meaningOf(error: unknown, tookMs: number): unknown {
    if (sqlStateOf(error) !== CANCELLED || tookMs < this.#mostMs * COUNTED_ALIKE) return error;
    return new ResourceError(
      422,
      `The database was at work on the query for ${this.#mostMs / 1_000} s and has given up; nothing was changed`,
      {
        id: 'QUERY_TOO_SLOW',
        hint: 'Ask for less at once: fewer conditions, properties that are indexed (svc_index), no total; SVC_QUERY_TIMEOUT says how long a query may take',
        detail: { seconds: this.#mostMs / 1_000 },
        cause: error,
      },
    );
  }
}
