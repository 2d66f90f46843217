import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../pool/database.ts';
import type { Wake } from '../unit-of-work/effect.ts';

const GATHER_MS = 5;

/**
 * Sends wake-ups to all nodes, gathered: at most one NOTIFY per 5 ms and process. It never belongs to a business
 * transaction, whose commit would then hold a lock that serialises all commits; it may leave right behind that commit.
 */
export class Notifier {
  readonly #database: Database;
  readonly #channel: string;
  readonly #onError: (error: unknown) => void;
  #topics = new Set<string>();
  #isWaiting = false;
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(database: Database, channel: string, onError: (error: unknown) => void) {
    this.#database = database;
    this.#channel = channel;
    this.#onError = onError;
  }

  /** Wakes whoever listens to the topic, on every node including this one. Returns at once. */
  notify(topic: string): void {
    this.#topics.add(topic);
    // The first one goes at once; those that follow it closely go together.
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const wait = this.#sentAt + GATHER_MS - performance.now();
    if (wait > 0) setTimeout(() => void this.#send(), wait);
    else setImmediate(() => void this.#send());
  }

  /** The same, of what a unit of work commits. */
  wake(topic: string): Wake {
    return { topic, run: () => this.notify(topic), statement: () => this.#statementNow(topic) };
  }

  /** The statement that notifies; none where one has just gone: the next one waits for others. */
  #statementNow(topic: string): RawBuilder<unknown> | undefined {
    const now = performance.now();
    if (this.#isWaiting || now < this.#sentAt + GATHER_MS) return undefined;
    this.#sentAt = now;
    return this.#statement(topic);
  }

  /** There is nothing to keep: it need not wait for the disk. */
  #statement(payload: string): RawBuilder<unknown> {
    return sql`select set_config('synchronous_commit', 'off', true), pg_notify(${this.#channel}, ${payload})`;
  }

  async #send(): Promise<void> {
    const payload = [...this.#topics].join(' ');
    this.#topics = new Set();
    this.#isWaiting = false;
    this.#sentAt = performance.now();
    try {
      await this.#statement(payload).execute(this.#database.db);
    } catch (error) {
      this.#onError(error);
    }
  }
}
