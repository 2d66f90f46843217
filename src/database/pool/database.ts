import { type CompiledQuery, type ControlledTransaction, Kysely, type RawBuilder } from 'kysely';
import pg from 'pg';
import { LOCK_MS, TURN_MS } from '../patience.ts';
import type { Tables } from '../tables.ts';
import { holdCommands, onceCommitIsSent } from '../wire/held-commands.ts';
import { dropConnection, noteSession } from '../wire/pg-client.ts';
import { boundRows } from './bounded-rows.ts';
import { boundStatements } from './bounded-statements.ts';
import { type Asker, ConnectionTurns } from './connection-turns.ts';
import { askPlace } from './current-server.ts';
import { admitSession, DatabasePool } from './database-client.ts';
import { Dialect } from './postgres-dialect.ts';
import { PreparedStatements } from './prepared-statements.ts';
import { retireReadOnlySession } from './read-only-session.ts';
import { SilenceWatch } from './silence-watch.ts';
import { WaitingStatements } from './waiting-statement.ts';

/** Where statements go: the pool, or the transaction of a unit of work. */
export type Db = Kysely<Tables>;
export type Transaction = ControlledTransaction<Tables, string[]>;

export interface DatabaseOptions {
  readonly url: string;
  /** Most connections of this pool, at least 2. Default 10. */
  readonly poolSize?: number;
  /** Shown in `pg_stat_activity`; take-over ends the sessions of a dead node by it. */
  readonly applicationName?: string;
  /** Longest time a session may sit inside a transaction without a statement. Default 60 s. */
  readonly idleInTransactionMs?: number;
  /** Have Postgres prepare what comes again and again. Not through a pooler that knows no prepared statements. */
  readonly prepares?: boolean;
  /**
   * Its sessions plan each statement once, by indexes and hash joins alone, whatever the tables hold at that moment. For
   * statements that look up by key and whose tables swell and empty faster than they are analysed. Needs `prepares`.
   */
  readonly keepsPlans?: boolean;
  /**
   * Commits do not wait for the disk: what they wrote may be gone after a crash of Postgres, but only together with all
   * that came after it. For marks without which something is only done again.
   */
  readonly forgets?: boolean;
  /** Through a pooler that lends a session for one transaction: what is set on one would be set for others. */
  readonly pooled?: boolean;
  /** Most bytes of rows that one statement may answer with; default: as many as there are. */
  readonly mostRowBytes?: number;
  /** For how long Postgres works on a statement that a caller has made up; default: as long as it takes. */
  readonly mostQueryMs?: number;
  readonly onError?: (error: unknown) => void;
}

/** What a server says of itself when it opens a session; behind a pooler nobody hears it. */
export interface Greeting {
  /** When it began, in epoch seconds by its own clock: after a fail-over it is another one. */
  readonly serverSince: string;
  /** Epoch ms by its clock, a moment before `heardAt`. */
  readonly ms: number;
  /** By `performance.now()`. */
  readonly heardAt: number;
}

/** The pool of one thread, and Kysely over it. */
export interface Database {
  readonly db: Db;
  readonly pool: pg.Pool;
  readonly url: string;
  /**
   * Opens a transaction; to be ended by `endTransaction`, whatever became of it.
   *
   * @param depth how many open transactions wait for this one, as when a hook works outside that of its write
   * @param asker the caller that it is for, if any
   */
  startTransaction(depth: number, asker?: Asker): Promise<Transaction>;
  endTransaction(transaction: Transaction): void;
  /** Ends its connection, whatever the server makes of that: what it was not told to commit is undone. */
  dropTransaction(transaction: Transaction): void;
  /**
   * Sends statements as a transaction of their own, with one way to the server and back.
   *
   * @throws what the first statement that fails does so with; nothing is stored then
   */
  runInOneWay(statements: readonly RawBuilder<unknown>[]): Promise<void>;
  /**
   * Calls `leave` when the commit of the transaction has been sent; what it sends goes behind, each statement as a
   * transaction of its own that nobody waits for. It is not called where there is nothing to commit.
   */
  behindCommit(transaction: Transaction, leave: (send: SendBehind) => void): void;
  /** The same, for statements that a caller has made up. See `boundStatements`. */
  bounded(db: Db, asker: Asker): Db;
  /** Tells of each session that is opened, before anything else is asked of it, and of the last one so far. */
  onGreeting(listen: (greeting: Greeting) => void): void;
  /** Cancels the statement that a transaction waits for, before it is rolled back. */
  cancelStatement(transaction: Transaction): Promise<void>;
  close(): Promise<void>;
}

class GivenUp extends Error {
  readonly code = 'ECONNRESET';
  constructor() {
    super('Connection terminated: a request has waited for it too long');
  }
}

type SendBehind = (statement: RawBuilder<unknown>) => void;

const DEFAULT_POOL_SIZE = 10;
const LEAST_POOL_SIZE = 2;
const NESTED_IDLE_MS = 1_000;
/** An idle connection is asked by the kernel whether the other side is there after so long. */
const KEEP_ALIVE_MS = 10_000;

// Counts and revisions are bigint; all of ours stay far below 2^53, and a string would break comparisons.
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => Number(text));

export function openDatabase(given: DatabaseOptions): Database {
  let closed: Promise<void> | undefined;
  // A pool says that it is closed while its connections still are closing: that one of them breaks is no news then.
  const options: DatabaseOptions = {
    ...given,
    onError: (error) => {
      if (closed === undefined) given.onError?.(error);
    },
  };
  const poolSize = Math.max(options.poolSize ?? DEFAULT_POOL_SIZE, LEAST_POOL_SIZE);
  const listeners: ((greeting: Greeting) => void)[] = [];
  let last: Greeting | undefined;
  const greet = (greeting: Greeting) => {
    last = greeting;
    for (const listen of listeners) listen(greeting);
  };
  const pooled = (idleMs: number) => {
    const own = openPool(options, poolSize, idleMs, greet);
    const { mostRowBytes } = options;
    if (mostRowBytes !== undefined) {
      own.on('connect', (client) => boundRows(client, mostRowBytes, (busy) => waiting.cancelOn(busy)));
    }
    return own;
  };
  const pool = pooled(30_000);
  const waiting = new WaitingStatements(pool);
  const open = (own: pg.Pool): Db =>
    new Kysely<Tables>({ dialect: new Dialect({ pool: waiting.note(own) }) });
  const db = open(pool);
  const compiled = (statements: readonly RawBuilder<unknown>[]) =>
    statements.map((statement) => statement.compile(db));
  const turns = new ConnectionTurns({ connections: poolSize, patienceMs: TURN_MS });
  const leaving = new WeakMap<Transaction, () => void>();
  // A level of its own for each depth: who waits, waits for a deeper one, so nobody waits in a circle.
  const nested: Db[] = [];
  const levelOf = (depth: number) => (nested[depth] ??= open(pooled(NESTED_IDLE_MS)));
  return {
    db,
    pool,
    url: options.url,
    async startTransaction(depth, asker) {
      const leave = depth === 0 ? await turns.enter('transaction', asker) : undefined;
      try {
        const level = depth === 0 ? db : levelOf(depth);
        const transaction = await waiting.open(() => level.startTransaction().execute());
        if (leave !== undefined) leaving.set(transaction, leave);
        return transaction;
      } catch (error) {
        leave?.();
        throw error;
      }
    },
    endTransaction(transaction) {
      leaving.get(transaction)?.();
      leaving.delete(transaction);
    },
    dropTransaction: (transaction) => dropConnection(waiting.clientOf(transaction), new GivenUp()),
    async runInOneWay(statements) {
      const queries = compiled(statements);
      const client = await pool.connect();
      try {
        await client.query('begin');
        await inFlight(client, queries, () => client.query('commit'));
      } finally {
        client.release();
      }
    },
    behindCommit(transaction, leave) {
      const client = waiting.clientOf(transaction);
      const send = (statement: RawBuilder<unknown>) => {
        const { sql, parameters } = statement.compile(db);
        client.query(sql, [...parameters]).catch((error: unknown) => options.onError?.(error));
      };
      onceCommitIsSent(client, () => leave(send));
    },
    bounded: (own, asker) =>
      options.mostQueryMs === undefined
        ? own
        : boundStatements(own, { mostMs: options.mostQueryMs, turns, asker }),
    onGreeting(listen) {
      listeners.push(listen);
      if (last !== undefined) listen(last);
    },
    cancelStatement: (transaction) => waiting.cancel(transaction),
    close() {
      closed ??= Promise.all([db, ...nested.filter(Boolean)].map((level) => level.destroy())).then(() => {});
      return closed;
    },
  };
}

/** When one fails, so do those behind it, and the first says why. */
async function inFlight(
  client: pg.PoolClient,
  queries: readonly CompiledQuery[],
  commit: () => Promise<unknown>,
): Promise<void> {
  const sent = queries.map(({ sql, parameters }) => client.query(sql, [...parameters]));
  for (const outcome of await Promise.allSettled([...sent, commit()]))
    if (outcome.status === 'rejected') throw outcome.reason;
}

/** The questions that each session asks first. */
interface Introduction {
  readonly session: number;
  readonly ms: number;
  readonly is_read_only: boolean;
}

const statements = new PreparedStatements();
const keptStatements = new PreparedStatements({ mayKeepPlans: true });
const pooledStatements = new PreparedStatements({ makesRoom: false });
/** A plan made when a table was empty would read all of it, or compare each row with each, once it is full. */
const KEEP_PLANS = ['enable_seqscan', 'enable_nestloop', 'enable_mergejoin', 'jit']
  .map((way) => `, set_config('${way}', 'off', false)`)
  .join('');

function openPool(
  options: DatabaseOptions,
  max: number,
  idleTimeoutMillis: number,
  greet: (greeting: Greeting) => void,
): pg.Pool {
  const applicationName = options.applicationName ?? 'svc';
  const silence = new SilenceWatch(options.url, applicationName);
  const keepsPlans = options.keepsPlans === true && options.prepares === true && options.pooled !== true;
  const pool = new DatabasePool({
    connectionString: options.url,
    max,
    // A statement that does not need the answer to the one under way is sent along with it.
    pipeline: true,
    application_name: applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    idleTimeoutMillis,
    connectionTimeoutMillis: 10_000,
    onConnect: async (client) => {
      if (options.pooled === true) return;
      const place = await askPlace<Introduction>(
        client,
        `, set_config('idle_in_transaction_session_timeout', $1, false), set_config('lock_timeout', $2, false),
           pg_backend_pid() as session,
           (extract(epoch from clock_timestamp()) * 1000)::float8 as ms,
           current_setting('default_transaction_read_only')::boolean as is_read_only
           ${options.forgets === true ? `, set_config('synchronous_commit', 'off', false)` : ''}
           ${keepsPlans ? `${KEEP_PLANS}, set_config('plan_cache_mode', 'force_generic_plan', false)` : ''}`,
        [String(options.idleInTransactionMs ?? 60_000), String(LOCK_MS)],
      );
      admitSession(client, options.url, place);
      const { session, server_since: serverSince, ms, is_read_only: isReadOnly } = place;
      greet({ serverSince, ms, heardAt: performance.now() });
      if (isReadOnly) readOnlySessions.add(client);
      noteSession(client, session);
      silence.add(client, serverSince);
    },
  });
  const readOnlySessions = retireReadOnlySession(pool);
  const unkept = options.pooled === true ? pooledStatements : statements;
  const prepared = keepsPlans ? keptStatements : unkept;
  if (options.prepares === true) pool.on('connect', (client) => prepared.attach(client));
  pool.on('release', (error, client) => {
    if (!error) prepared.tidy(client);
  });
  pool.on('connect', (client) => holdCommands(client, options.prepares === true));
  // An idle connection that breaks emits here; without a listener it would end the process.
  pool.on('error', (error) => options.onError?.(error));
  // A broken connection during a query emits on the client as well as rejecting the query.
  pool.on('connect', (client) => client.on('error', (error) => options.onError?.(error)));
  return pool;
}
