/** How fast work starts here: what may be claimed ahead of its time is reckoned from it. */
export class StartRate {
  #second = 0;
  #count = 0;
  #before = 0;

  count(started: number): void {
    this.#turn();
    this.#count += started;
  }

  /** Starts in the running second or in the one before, whichever had more. */
  get perSecond(): number {
    this.#turn();
    return Math.max(this.#before, this.#count);
  }

  #turn(): void {
    const second = Math.floor(performance.now() / 1000);
    if (second === this.#second) return;
    this.#before = second === this.#second + 1 ? this.#count : 0;
    this.#second = second;
    this.#count = 0;
  }
}
