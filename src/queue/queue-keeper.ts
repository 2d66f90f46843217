import type { Service } from '#lifecycle/index.ts';
import type { Queue } from './queue.ts';

/**
 * Makes the queues, and on nodes that work lets pg-boss look after its tables: what has run too long, what is done
 * and old, indexes that have grown. One node at a time does it, as pg-boss arranges.
 */
export class QueueKeeper implements Service {
  readonly name = 'queues';
  readonly #queue: Queue;
  readonly #supervises: boolean;
  #started = false;

  constructor(queue: Queue, supervises: boolean) {
    this.#queue = queue;
    this.#supervises = supervises;
  }

  async start(): Promise<void> {
    if (this.#started) return;
    this.#started = true;
    await this.#queue.prepare();
    if (this.#supervises) await this.#queue.boss.start();
  }

  async stop(): Promise<void> {
    if (!this.#started) return;
    this.#started = false;
    if (this.#supervises) await this.#queue.boss.stop({ graceful: false, close: false });
  }
}
