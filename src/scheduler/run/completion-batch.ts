import { isPassing } from '#database/index.ts';
import { firstOf } from '#json/index.ts';
import { type Holder, insist } from '#work/index.ts';
import type { JobStore } from '../store/job-store.ts';
import { type Completion, formatRunKey } from './run.ts';

const MAX_BATCH = 500;
/** With so many waiting a second statement goes beside the one under way. */
const MANY = 250;

interface Item {
  readonly holder: Holder;
  readonly completion: Completion;
  readonly resolve: (isOurs: boolean) => void;
}

/**
 * Completes runs that left no effects, many with one statement: while one is under way the next gathers. Never
 * gives up on a database that is away; what it committed without an answer is found out afterwards.
 */
export class CompletionBatch {
  readonly #store: JobStore;
  readonly #onError: (error: unknown) => void;
  #items: Item[] = [];
  #running = 0;

  constructor(store: JobStore, onError: (error: unknown) => void) {
    this.#store = store;
    this.#onError = onError;
  }

  /** @returns false when the run belongs to somebody else by now */
  complete(holder: Holder, completion: Completion): Promise<boolean> {
    return new Promise((resolve) => {
      this.#items.push({ holder, completion, resolve });
      if (this.#running > (this.#items.length < MANY ? 0 : 1)) return;
      this.#running += 1;
      // What ends in the same turn of the loop goes together.
      setImmediate(() => void this.#run());
    });
  }

  async #run(): Promise<void> {
    while (this.#items.length > 0) {
      const { holder } = firstOf(this.#items);
      const fits = (item: Item) => item.holder.epoch === holder.epoch && item.holder.nodeId === holder.nodeId;
      const batch = this.#items.filter(fits).slice(0, MAX_BATCH);
      const taken = new Set(batch);
      this.#items = this.#items.filter((item) => !taken.has(item));
      await this.#complete(holder, batch);
    }
    this.#running -= 1;
  }

  async #complete(holder: Holder, batch: readonly Item[]): Promise<void> {
    let failures = 0;
    const complete = async () => {
      const done = await this.#store.complete(
        holder,
        batch.map((item) => item.completion),
      );
      for (const item of batch) {
        const ours = done.has(formatRunKey(item.completion.run));
        // An earlier attempt may have been committed without an answer.
        item.resolve(ours || (failures > 0 && (await this.#wasCompleted(holder, item))));
      }
    };
    const failed = (error: unknown) => {
      this.#onError(error);
      failures += 1;
    };
    await insist(complete, { failed, mayRepeat: isPassing }).catch(() => this.#completeEach(holder, batch));
  }

  async #wasCompleted(holder: Holder, { completion }: Item): Promise<boolean> {
    return (await this.#store.findFate(holder, completion)) === 'completed';
  }

  /** Something in the batch cannot be stored. It must not hold up the others, nor its own schedule. */
  async #completeEach(holder: Holder, batch: readonly Item[]): Promise<void> {
    for (const item of batch) {
      if (batch.length > 1) {
        await this.#complete(holder, [item]);
        continue;
      }
      const error = { code: 500, message: 'The run failed, and its error could not be stored' };
      const entries = item.completion.entries.map((entry) => ({
        ...entry,
        error: entry.error === null ? null : error,
        log: null,
      }));
      const bare = { ...item.completion, entries };
      const complete = async () => {
        const done = await this.#store.complete(holder, [bare]);
        item.resolve(done.has(formatRunKey(bare.run)) || (await this.#wasCompleted(holder, item)));
      };
      await insist(complete, { failed: this.#onError, mayRepeat: isPassing }).catch(() =>
        item.resolve(false),
      );
    }
  }
}
