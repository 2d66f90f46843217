/** Something that is to be done. What it brings up comes before all else that waits. */
export type Work = () => Promise<readonly Work[]>;

/**
 * What steps of instances mean for others, and the steps of those for others again: done one after the other, each with all
 * that follows from it before the next.
 */
export class Agenda {
  /** The next one is the last. */
  readonly #waiting: Work[] = [];
  #isBusy = false;

  /** Does it, and all that it brings up; what is handed in meanwhile is taken up by who is at it already. */
  async take(work: Work): Promise<void> {
    this.#waiting.push(work);
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
        const at = this.#waiting.length;
        const more = await next();
        // It may have handed in something itself, which comes first.
        this.#waiting.splice(at, 0, ...more.toReversed());
      }
    } finally {
      this.#waiting.length = 0;
      this.#isBusy = false;
    }
  }
}
