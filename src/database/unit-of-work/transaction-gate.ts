import { ServiceUnavailableError } from '#errors/index.ts';
import { troubled } from '../pool/database-error.ts';

/**
 * Lets so many transactions be open at once, in the order of asking. What is left of the pool serves statements
 * outside of them, so that a transaction which waits for such a statement never waits for itself.
 */
export class TransactionGate {
  #free: number;
  readonly #patienceMs: number;
  readonly #waiting = new Set<() => void>();

  /** @param patienceMs how long one waits for its turn */
  constructor(size: number, patienceMs: number) {
    this.#free = size;
    this.#patienceMs = patienceMs;
  }

  /** @throws ServiceUnavailableError when its turn has not come in time; then it has not entered */
  async enter(): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(enter);
        const error = new ServiceUnavailableError(
          `The database has been at work on other requests for ${this.#patienceMs / 1_000} s; nothing was changed`,
          { id: 'DB_BUSY', hint: 'Try again in a moment' },
        );
        reject(troubled(error, 'unreachable'));
      }, this.#patienceMs);
      this.#waiting.add(enter);
    });
  }

  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
