import type { Service } from './service.ts';
import { Ticker, type TickerOptions } from './ticker.ts';

const DRAIN_MS = 30_000;

export interface ClaimLoopOptions extends TickerOptions {
  /** How much of what was claimed runs now. */
  readonly active: () => number;
  /** Gives back what was claimed and has not started. */
  readonly handBack?: () => Promise<void>;
  /** Gives up what still runs after the drain. */
  readonly giveUp: () => Promise<void>;
  /** How long a stop waits for what runs, in ms. Default 30 s. */
  readonly drainMs?: number | undefined;
}

/**
 * The loop of a node that claims work in its rounds and runs it beside them. Its `stop` claims no more, hands back what
 * has not started, drains, which is to wait for what runs, and gives up what takes too long.
 */
export class ClaimLoop implements Service {
  readonly name: string;
  readonly drains = true;
  readonly #options: ClaimLoopOptions;
  readonly #ticker: Ticker;
  #claims = false;
  #drained: (() => void) | undefined;

  constructor(options: ClaimLoopOptions) {
    this.name = options.name;
    this.#options = options;
    this.#ticker = new Ticker(options);
  }

  async start(): Promise<void> {
    this.#claims = true;
    await this.#ticker.start();
  }

  async stop(): Promise<void> {
    if (!this.#claims) return;
    this.#claims = false;
    await this.#ticker.stop();
    const { active, handBack, giveUp } = this.#options;
    await this.#attempt(handBack);
    if (active() > 0) await this.#drain();
    if (active() > 0) await this.#attempt(giveUp);
  }

  wake(): void {
    this.#ticker.wake();
  }

  /** Whether more may be claimed: it has started and does not stop. */
  get claims(): boolean {
    return this.#claims;
  }

  get lastBeatAt(): number {
    return this.#ticker.lastBeatAt;
  }

  /** To be called when something that ran has ended. */
  noteEnd(): void {
    if (this.#options.active() === 0) this.#drained?.();
  }

  /** A stop goes on without a database too: what is held then is released by whoever takes over. */
  async #attempt(step: (() => Promise<void>) | undefined): Promise<void> {
    try {
      await step?.();
    } catch (error) {
      this.#options.observe({ kind: 'loop.failed', loop: this.name, error });
    }
  }

  async #drain(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drained = resolve;
    const timer = setTimeout(resolve, this.#options.drainMs ?? DRAIN_MS);
    await promise;
    clearTimeout(timer);
  }
}
