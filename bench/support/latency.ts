/** Times in milliseconds, counted in steps of 1 %, so that millions of them take no room. */
export class Latency {
  readonly #counts = new Map<number, number>();
  #total = 0;

  add(ms: number): void {
    const step = Math.round(Math.log(Math.max(ms, 0.001)) / STEP);
    this.#counts.set(step, (this.#counts.get(step) ?? 0) + 1);
    this.#total++;
  }

  /** @param share such as 0.99 */
  percentile(share: number): number {
    let left = this.#total * share;
    for (const [step, count] of [...this.#counts].sort(([a], [b]) => a - b)) {
      left -= count;
      if (left <= 0) return Math.exp(step * STEP);
    }
    return 0;
  }
}

const STEP = Math.log(1.01);
