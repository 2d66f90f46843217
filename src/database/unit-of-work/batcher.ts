import { counted } from '../pool/database-wait.ts';
import { isUnavailable } from '../pool/sql-state.ts';

/** A piece of work that waits to leave together with others. */
interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export interface BatcherOptions<Item, Result> {
  /** Statements on their way at once; what comes meanwhile waits and makes the next batch larger. */
  readonly maxInFlight: number;
  readonly maxBatch: number;
  /** What a batch of several may weigh in all, as it is asked when one leaves. Default: anything. */
  readonly bound?: { readonly weightOf: (item: Item) => number; readonly most: () => number };
  /** Answers in the order of the items. Rejects for all of them. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Whether a batch that failed so may be tried again in parts. Default: where the database can be used. */
  readonly mayRepeat?: (error: unknown) => boolean;
}

/**
 * Gathers what is asked for in one turn of the event loop, and while earlier batches are under way, into one
 * statement: a round trip or a commit costs far more than a row. A batch that fails is repeated in halves, so that only
 * the guilty one fails; `run` must therefore do all or nothing.
 */
export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #inFlight = 0;
  #scheduled = false;

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  add(item: Item): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ item, resolve, reject });
    this.#schedule();
    return counted(promise);
  }

  #schedule(): void {
    const { maxInFlight } = this.#options;
    if (this.#scheduled || this.#waiting.length === 0 || this.#inFlight >= maxInFlight) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      void this.#flush();
    });
  }

  async #flush(): Promise<void> {
    const count = this.#countOfNext();
    const batch = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    this.#inFlight += 1;
    try {
      await this.#run(batch);
    } finally {
      this.#inFlight -= 1;
      this.#schedule();
    }
  }

  #countOfNext(): number {
    const { maxBatch, bound } = this.#options;
    if (bound === undefined) return maxBatch;
    let left = bound.most();
    const isTooMuch = ({ item }: Waiting<Item, Result>, index: number) => {
      left -= bound.weightOf(item);
      return left < 0 && index > 0;
    };
    const count = this.#waiting.findIndex((waiting, index) => index >= maxBatch || isTooMuch(waiting, index));
    return count < 0 ? this.#waiting.length : count;
  }

  async #run(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
    } catch (error) {
      if (batch.length > 1 && (this.#options.mayRepeat?.(error) ?? !isUnavailable(error))) {
        const half = Math.ceil(batch.length / 2);
        await this.#run(batch.slice(0, half));
        await this.#run(batch.slice(half));
      } else {
        for (const { reject } of batch) reject(error);
      }
    }
  }
}
