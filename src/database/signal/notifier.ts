import { sql } from 'kysely';
import type { Database } from '../pool/database.ts';

const GATHER_MS = 5;

/**
 * Sends wake-ups to all nodes, gathered: at most one NOTIFY per 5 ms and process, and never inside a business
 * transaction, because a committing transaction that notifies holds a lock which serialises all commits.
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

  async #send(): Promise<void> {
    const payload = [...this.#topics].join(' ');
    this.#topics = new Set();
    this.#isWaiting = false;
    this.#sentAt = performance.now();
    try {
      // There is nothing to keep: it need not wait for the disk.
      await sql`select set_config('synchronous_commit', 'off', true), pg_notify(${this.#channel}, ${payload})`.execute(
        this.#database.db,
      );
    } catch (error) {
      this.#onError(error);
    }
  }
}
