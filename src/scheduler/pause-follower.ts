import type { Database } from '#database/index.ts';
import { type Service, Ticker } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import type { MemorySchedules } from './memory-schedules.ts';
import { readPause } from './running-repository.ts';

const INTERVAL_MS = 2_000;

export interface PauseFollowerOptions {
  readonly database: Database;
  readonly memory: Pick<MemorySchedules, 'pauseAll'>;
  /** Tells the cluster that this node follows all pauses up to this one. */
  readonly tell: (pauses: number) => Promise<void>;
  readonly observe: Observe;
}

/**
 * The pause of the cluster holds for schedules in memory too: those of this node follow the one flag, and whoever pauses
 * waits until every node has told that they do.
 */
export class PauseFollower implements Service {
  readonly name = 'pause of schedules in memory';
  readonly #options: PauseFollowerOptions;
  readonly #ticker: Ticker;
  #told = -1;

  constructor(options: PauseFollowerOptions) {
    this.#options = options;
    this.#ticker = new Ticker({
      name: this.name,
      intervalMs: INTERVAL_MS,
      runOnce: () => this.#runOnce(),
      observe: options.observe,
    });
  }

  /** A node that starts while all are paused fires nothing in between. */
  async start(): Promise<void> {
    await this.#runOnce();
    await this.#ticker.start();
  }

  wake(): void {
    this.#ticker.wake();
  }

  stop(): Promise<void> {
    return this.#ticker.stop();
  }

  async #runOnce(): Promise<void> {
    const { database, memory, tell } = this.#options;
    const { paused, pauses } = await readPause(database.db);
    await memory.pauseAll(paused);
    if (pauses === this.#told) return;
    await tell(pauses);
    this.#told = pauses;
  }
}
