import type { ToldEvent } from './told-event.ts';

const GATHER_MS = 20;
const MOST_TOGETHER = 200;

export interface EventWriterOptions {
  /** Whether anybody in the cluster listens. */
  readonly isHeard: () => boolean;
  readonly write: (events: readonly ToldEvent[], isGap: boolean) => Promise<void>;
  readonly failed: (error: unknown) => void;
}

/**
 * Gathers what this node has to tell, each thing once, and writes it together. What is more than it can take, and what it
 * could not write, becomes a gap: whoever listens then looks at everything again.
 */
export class EventWriter {
  readonly #options: EventWriterOptions;
  #events = new Map<string, ToldEvent>();
  #isGap = false;
  #waiting: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #writtenAt = Number.NEGATIVE_INFINITY;

  constructor(options: EventWriterOptions) {
    this.#options = options;
  }

  tell(events: readonly ToldEvent[]): void {
    if (!this.#options.isHeard()) return;
    for (const event of events) {
      const { topic, resource, operation } = event;
      if (this.#events.size < MOST_TOGETHER) this.#events.set(`${topic} ${operation} ${resource}`, event);
      else this.#isGap = true;
    }
    this.#schedule();
  }

  /** Something may not have been told. */
  tellGap(): void {
    if (!this.#options.isHeard()) return;
    this.#isGap = true;
    this.#schedule();
  }

  /** Resolves when nothing is to be written any more. */
  async stop(): Promise<void> {
    clearTimeout(this.#waiting);
    await this.#writing;
    await this.#flush();
  }

  #schedule(): void {
    const wait = Math.max(0, this.#writtenAt + GATHER_MS - performance.now());
    this.#waiting ??= setTimeout(() => {
      this.#writing = this.#writing.then(() => this.#flush());
    }, wait);
  }

  async #flush(): Promise<void> {
    const [events, isGap] = [[...this.#events.values()], this.#isGap];
    this.#waiting = undefined;
    this.#events = new Map();
    this.#isGap = false;
    this.#writtenAt = performance.now();
    if (events.length === 0 && !isGap) return;
    try {
      await this.#options.write(events, isGap);
    } catch (error) {
      this.#isGap = true;
      this.#options.failed(error);
    }
  }
}
