import {
  type CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  type KyselyPlugin,
  Transaction as Statements,
} from 'kysely';
import { UNUSED } from '../pool/bounded-statements.ts';
import type { Db, Transaction } from '../pool/database.ts';
import { sqlStateOf } from '../pool/sql-state.ts';
import type { Tables } from '../tables.ts';
import type { WorkParts } from './work-parts.ts';

/** A statement that nobody waits for. It leaves with the next one of its transaction, which fails with it. */
export interface HeldStatement {
  readonly statement: { compile(db: Db): CompiledQuery };
  /** Looks at what it has answered, and throws where that is not what is needed. */
  check?(rows: readonly unknown[]): void;
  /** The error that its failure means to the caller. Default: the failure itself. */
  readonly meaning?: (error: unknown) => unknown;
}

interface Held {
  take(): readonly HeldStatement[];
  fail(error: unknown): void;
}

/**
 * Statements of a transaction, each sent as soon as it is asked for, in this order and without waiting for the answers to those
 * before it: what is asked for together is one way to the database. The first of them that fails says why the others do.
 */
export class TransactionStatements {
  readonly db: Db;
  readonly #transaction: Transaction;
  readonly #wire: TransactionWire;

  private constructor(db: Db, transaction: Transaction, wire: TransactionWire) {
    this.db = db;
    this.#transaction = transaction;
    this.#wire = wire;
  }

  /**
   * @param held what goes before the next statement, and is told why it failed
   * @param parts who may ask: for others the connection is another's by now, or will be
   * @param onStatement told of each that somebody asks for
   */
  static async of(
    transaction: Transaction,
    held: Held,
    parts: WorkParts,
    onStatement: (() => void) | undefined,
  ): Promise<TransactionStatements> {
    const executor = transaction.getExecutor();
    const connection = await executor.provideConnection((own) => Promise.resolve(own));
    const wire = new TransactionWire(connection, transaction, held, parts);
    const db = new Statements<Tables>({ ...UNUSED, executor: executor.withConnectionProvider(wire) });
    return new TransactionStatements(
      onStatement === undefined ? db : db.withPlugin(telling(onStatement)),
      transaction,
      wire,
    );
  }

  /** Sends what is held, and waits for it. */
  flush(): Promise<void> {
    return this.#wire.provideConnection(async () => {});
  }

  /** Sends what is held and the commit behind it, though nobody may ask for anything any more. */
  commit(): Promise<void> {
    return this.#wire.sendWith(() => this.#transaction.commit().execute());
  }
}

function telling(onStatement: () => void): KyselyPlugin {
  return {
    transformQuery({ node }) {
      onStatement();
      return node;
    },
    transformResult: async ({ result }) => result,
  };
}

/** Said of all that comes behind a statement that has failed. */
const IN_FAILED_TRANSACTION = '25P02';

class TransactionWire implements ConnectionProvider {
  readonly #connection: DatabaseConnection;
  readonly #compiler: Db;
  readonly #held: Held;
  readonly #parts: WorkParts;
  #failure: unknown;

  constructor(connection: DatabaseConnection, compiler: Db, held: Held, parts: WorkParts) {
    this.#connection = connection;
    this.#compiler = compiler;
    this.#held = held;
    this.#parts = parts;
  }

  async provideConnection<T>(consumer: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
    this.#parts.requireGoesOn();
    return this.sendWith(consumer);
  }

  async sendWith<T>(consumer: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
    const held = this.#held.take();
    if (held.length === 0) return this.#told(consumer(this.#connection));
    const before = held.map((each) => this.#send(each));
    const own = this.#told(consumer(this.#connection));
    for (const outcome of await Promise.allSettled([...before, own]))
      if (outcome.status === 'rejected') throw outcome.reason;
    return own;
  }

  async #send({ statement, check, meaning }: HeldStatement): Promise<void> {
    try {
      const sent = this.#connection.executeQuery(statement.compile(this.#compiler));
      const { rows } = await this.#told(sent, meaning);
      check?.(rows);
    } catch (error) {
      this.#held.fail(error);
      throw error;
    }
  }

  #told<T>(sent: Promise<T>, meaning = (error: unknown) => error): Promise<T> {
    return sent.catch((error: unknown) => {
      const isBehind = sqlStateOf(error) === IN_FAILED_TRANSACTION && this.#failure !== undefined;
      if (!isBehind) this.#failure = meaning(error);
      throw this.#failure;
    });
  }
}
