import { backoffMs } from './backoff.ts';
import type { Service } from './service.ts';

/** What a loop says of itself; `failures` are rounds in a row, `ms` the time since the first of them. */
export type LoopNews =
  | { kind: 'loop.failed'; loop: string; error: unknown }
  | { kind: 'loop.recovered'; loop: string; failures: number; ms: number };

export interface TickerOptions {
  readonly name: string;
  /** Time between the end of one round and the start of the next, unless the round asks for another. */
  readonly intervalMs: number;
  /** Share of the interval that is random, so that many nodes do not beat together. Default 0.1. */
  readonly jitter?: number;
  /** One round. A number is the wait before the next one, in milliseconds. It must not overlap itself. */
  readonly runOnce: () => Promise<number | undefined> | Promise<void>;
  /** Told of a failed round, after which the loop goes on with a growing pause, and of the first good one after it. */
  readonly observe: (said: LoopNews) => void;
}

const LONGEST_PAUSE_MS = 2_000;

/**
 * The one background loop of this house: runs a round, waits, runs the next; `wake` cuts the wait short. A
 * round never overlaps itself, a failing round never ends the loop, and `stop` waits for the round under way.
 */
export class Ticker implements Service {
  readonly name: string;
  readonly #options: TickerOptions;
  #running: Promise<void> | undefined;
  #stopping = false;
  #woken = false;
  #wake: (() => void) | undefined;
  #failures = 0;
  #failedAt = 0;
  /** When the last round ended well, by `performance.now()`; 0 before the first. */
  lastBeatAt = 0;

  constructor(options: TickerOptions) {
    this.name = options.name;
    this.#options = options;
  }

  async start(): Promise<void> {
    if (this.#running !== undefined) return;
    this.#stopping = false;
    this.#running = this.#loop();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.wake();
    await this.#running;
    this.#running = undefined;
  }

  /** Starts the next round now, or right after the one under way. */
  wake(): void {
    this.#woken = true;
    this.#wake?.();
  }

  async #loop(): Promise<void> {
    while (!this.#stopping) {
      this.#woken = false;
      await this.#wait(await this.#round());
    }
  }

  async #round(): Promise<number> {
    const { intervalMs, jitter = 0.1 } = this.#options;
    try {
      const asked = await this.#options.runOnce();
      this.#noteSuccess();
      this.lastBeatAt = performance.now();
      return asked ?? jittered(intervalMs, jitter);
    } catch (error) {
      if (this.#failures === 0) this.#failedAt = performance.now();
      this.#failures += 1;
      this.#options.observe({ kind: 'loop.failed', loop: this.name, error });
      return backoffMs(this.#failures, 50, LONGEST_PAUSE_MS);
    }
  }

  #noteSuccess(): void {
    if (this.#failures === 0) return;
    const [failures, ms] = [this.#failures, performance.now() - this.#failedAt];
    this.#failures = 0;
    this.#options.observe({ kind: 'loop.recovered', loop: this.name, failures, ms });
  }

  async #wait(ms: number): Promise<void> {
    if (this.#stopping || this.#woken || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}

/** A time that differs by up to this share of it each time, so that many nodes do not beat together. */
export function jittered(ms: number, share = 0.2): number {
  return ms * (1 + share * (Math.random() * 2 - 1));
}
