/** What is stored together may be locked so much longer than it would be alone. */
const LONGER_MS = 5;
/** Fewer are not worth a commit of their own: an object each of sixteen units of work, with its entries of the audit. */
const FEWEST_ROWS = 48;
const MOST_ROWS = 2_000;
/** Taken for true until statements of different sizes have shown what a row takes. */
const ASSUMED_MS = 0.1;
/** What a statement weighs when the next one is noted: some twenty are remembered. */
const KEPT = 0.95;
/** Statements that hardly differ in size say nothing of what a row takes. */
const LEAST_VARIATION = 0.01;

/**
 * How many rows may be stored with one statement: they are locked together, the first until the last is stored. It is learnt
 * from how much longer larger statements take, so that a slow disk, which all of them wait for, makes none smaller.
 */
export class LockTime {
  #seen = 0;
  #rows = 0;
  #ms = 0;
  #squares = 0;
  #products = 0;

  /** @param ms from when the statement was sent until its commit was answered */
  note(rows: number, ms: number): void {
    this.#seen = this.#seen * KEPT + 1;
    this.#rows = this.#rows * KEPT + rows;
    this.#ms = this.#ms * KEPT + ms;
    this.#squares = this.#squares * KEPT + rows ** 2;
    this.#products = this.#products * KEPT + rows * ms;
  }

  get mostRows(): number {
    if (this.#seen === 0) return Math.floor(LONGER_MS / ASSUMED_MS);
    const most = Math.floor(LONGER_MS / this.#msPerRow());
    return Math.min(MOST_ROWS, Math.max(FEWEST_ROWS, most));
  }

  #msPerRow(): number {
    const variation = this.#seen * this.#squares - this.#rows ** 2;
    const slope = (this.#seen * this.#products - this.#rows * this.#ms) / variation;
    const isKnown = variation > LEAST_VARIATION * this.#rows ** 2 && slope > 0;
    return Math.min(isKnown ? slope : ASSUMED_MS, this.#ms / this.#rows);
  }
}
