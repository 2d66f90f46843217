import type { Database } from '#database/index.ts';
import { type Service, Ticker } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import { keepLedger } from './ledger-repository.ts';

const INTERVAL_MS = 3_600_000;

export interface LedgerKeeperOptions {
  readonly database: Database;
  /** How long entries are kept, in days. */
  readonly keepDays: () => number;
  readonly observe: Observe;
}

/** Makes the ledger's months ahead of their time and drops those that are no longer kept, every hour on each node. */
export class LedgerKeeper implements Service {
  readonly name = 'ledger keeper';
  readonly #options: LedgerKeeperOptions;
  readonly #ticker: Ticker;

  constructor(options: LedgerKeeperOptions) {
    this.#options = options;
    this.#ticker = new Ticker({
      name: this.name,
      intervalMs: INTERVAL_MS,
      runOnce: () => this.runOnce(),
      onError: (error) => options.observe({ kind: 'loop.failed', loop: this.name, error }),
    });
  }

  start(): Promise<void> {
    return this.#ticker.start();
  }

  async runOnce(): Promise<void> {
    await keepLedger(this.#options.database.db, this.#options.keepDays());
  }

  stop(): Promise<void> {
    return this.#ticker.stop();
  }
}
