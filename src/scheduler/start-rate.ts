/** How fast runs start here: what may be claimed ahead of its time is reckoned from it. */
export class StartRate {
  #second = 0;
  #count = 0;
  #before = 0;
  /** When something started last, by `performance.now()`; 0 before the first. */
  lastAt = 0;

  count(started: number): void {
    const now = performance.now();
    if (started > 0) this.lastAt = now;
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#before = second === this.#second + 1 ? this.#count : 0;
      this.#second = second;
      this.#count = 0;
    }
    this.#count += started;
  }

  /** Starts in the running second or in the one before, whichever had more. */
  get perSecond(): number {
    return Math.max(this.#before, this.#count);
  }
}
