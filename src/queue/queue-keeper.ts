import { type Service, Ticker } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import { pruneLetters } from './dead-letter-repository.ts';
import type { Queue } from './queue.ts';

const KEEP_DAYS = 365;
const BATCH = 1_000;
const HOUR_MS = 3_600_000;

/** Makes the queues known, and lets dead letters go after a year. */
export class QueueKeeper implements Service {
  readonly name = 'queues';
  readonly #queue: Queue;
  readonly #ticker: Ticker;

  constructor(queue: Queue, observe: Observe) {
    this.#queue = queue;
    this.#ticker = new Ticker({
      name: this.name,
      intervalMs: HOUR_MS,
      runOnce: () => this.#prune(),
      observe,
    });
  }

  async start(): Promise<void> {
    await this.#queue.prepare();
    await this.#ticker.start();
  }

  stop(): Promise<void> {
    return this.#ticker.stop();
  }

  async #prune(): Promise<number | undefined> {
    const pruned = await pruneLetters(this.#queue.database.db, KEEP_DAYS, BATCH);
    return pruned < BATCH ? undefined : 0;
  }
}
