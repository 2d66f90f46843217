const INTERVAL_MS = 10_000;
/** Where much waits a sweep takes seconds, so it comes seldom enough to cost two in a hundred. */
const SHARE = 50;

/** When it is time to look through everything. */
export class SweepClock {
  #sweptAt = 0;
  #tookMs = 0;

  get isTime(): boolean {
    const interval = Math.max(INTERVAL_MS, this.#tookMs * SHARE);
    return this.#sweptAt === 0 || performance.now() - this.#sweptAt > interval;
  }

  begin(): void {
    this.#sweptAt = performance.now();
  }

  /** The sweep that was begun last has looked through everything. */
  end(): void {
    this.#tookMs = performance.now() - this.#sweptAt;
  }

  /** It is time now. */
  hurry(): void {
    this.#sweptAt = 0;
  }
}
