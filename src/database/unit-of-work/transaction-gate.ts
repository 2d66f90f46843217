/**
 * Lets so many transactions be open at once, in the order of asking. What is left of the pool serves statements
 * outside of them, so that a transaction which waits for such a statement never waits for itself.
 */
export class TransactionGate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(size: number) {
    this.#free = size;
  }

  async enter(): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
