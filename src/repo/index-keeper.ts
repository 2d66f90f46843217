import { type Database, tryTransactionLock } from '#database/index.ts';
import { type Service, Ticker } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import { listMisjudged } from './count-repository.ts';
import {
  createPropertyIndex,
  dropPropertyIndex,
  listPropertyIndexes,
  takeStatistics,
} from './property-index-repository.ts';
import type { WantedIndex } from './wanted-indexes.ts';

const INTERVAL_MS = 60_000;
/** The planner may not be any wiser afterwards, and a large table is not looked through again and again. */
const STATISTICS_PAUSE_MS = 1_800_000;
/** The lock of whoever builds indexes; no node has this id. */
const BUILDER = -1;

export interface IndexKeeperOptions {
  readonly database: Database;
  readonly wanted: () => readonly WantedIndex[];
  readonly observe: Observe;
}

/**
 * Makes the indexes that the configuration wants and drops those it no longer does, one at a time and while the
 * server works; and sees to it that the planner knows how much they are about. One node of the cluster does it.
 */
export class IndexKeeper implements Service {
  readonly name = 'index keeper';
  readonly #options: IndexKeeperOptions;
  readonly #ticker: Ticker;
  #mayLookAt = 0;

  constructor(options: IndexKeeperOptions) {
    this.#options = options;
    this.#ticker = new Ticker({
      name: this.name,
      intervalMs: INTERVAL_MS,
      runOnce: () => this.runOnce(),
      observe: options.observe,
    });
  }

  start(): Promise<void> {
    return this.#ticker.start();
  }

  stop(): Promise<void> {
    return this.#ticker.stop();
  }

  wake(): void {
    this.#ticker.wake();
  }

  async runOnce(): Promise<void> {
    const { database, wanted, observe } = this.#options;
    const target = new Map(wanted().map((index) => [index.name, index]));
    const existing = await listPropertyIndexes(database.db);
    const broken = existing.filter(({ ready }) => !ready);
    const unwanted = existing.filter(({ name, ready }) => ready && !target.has(name));
    const there = new Set(existing.filter(({ ready }) => ready).map(({ name }) => name));
    const missing = [...target.values()].filter(({ name }) => !there.has(name));
    const isMisjudged = missing.length === 0 && (await this.#isMisjudged(target.values()));
    if (broken.length === 0 && unwanted.length === 0 && missing.length === 0 && !isMisjudged) return;

    await using lock = await tryTransactionLock(database.url, BUILDER);
    if (lock === undefined) return;
    for (const { name } of broken) await dropPropertyIndex(database.db, name);
    for (const index of missing) {
      await createPropertyIndex(database.db, index);
      observe({ kind: 'index.created', type: index.type, property: index.property });
    }
    if (missing.length > 0 || isMisjudged) await takeStatistics(database.db);
    if (isMisjudged) this.#mayLookAt = performance.now() + STATISTICS_PAUSE_MS;
    // What takes the place of an index is there before the index goes.
    for (const { name } of unwanted) await dropPropertyIndex(database.db, name);
  }

  async #isMisjudged(indexes: Iterable<WantedIndex>): Promise<boolean> {
    if (performance.now() < this.#mayLookAt) return false;
    const types = new Set([...indexes].map(({ type }) => type));
    return (await listMisjudged(this.#options.database.db, [...types])).length > 0;
  }
}
