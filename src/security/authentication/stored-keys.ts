import { Batcher, type Database } from '#database/index.ts';
import { findHeldKeys, type KeyRow, touchKeys } from './api-key-repository.ts';

/**
 * The keys that were made through `/apikey`. They are read with each request, those of one turn of the event loop together: a
 * key that was deleted, on another node or by hand, must not live on here.
 */
export class StoredKeys {
  readonly #database: Database;
  readonly #rows: Batcher<string, KeyRow | undefined>;

  constructor(database: Database) {
    this.#database = database;
    this.#rows = new Batcher({ maxInFlight: 2, maxBatch: 500, run: (ids) => findHeldKeys(database.db, ids) });
  }

  /** The key that holds by that id. */
  find(id: string): Promise<KeyRow | undefined> {
    return this.#rows.add(id);
  }

  /** Notes its use, to the minute. */
  async noteUse({ id, stale }: KeyRow): Promise<void> {
    if (stale) await touchKeys(this.#database.db, [id]);
  }
}
