/** The longest transaction that may still commit work behind the watermark without a word. */
const SLACK_MS = 5_000;
/** Most of what is written is committed so soon; the rest is looked for from time to time, and when somebody says so. */
const NEAR_MS = 250;
const FAR_INTERVAL_MS = 1_000;

/** From where on claims look: behind it everything was claimed already, apart from what a sweep finds. */
export class Watermark {
  /** Epoch ms. */
  #at = 0;
  #lookedFarAt = Number.NEGATIVE_INFINITY;

  raise(at: number): void {
    this.#at = Math.max(this.#at, at);
  }

  /** The next look is not bounded by what was seen before. */
  lookBehind(): void {
    this.#at = 0;
  }

  /** The next look goes as far back as a transaction may have taken. */
  lookFar(): void {
    this.#lookedFarAt = Number.NEGATIVE_INFINITY;
  }

  /** Epoch ms. While another session holds a snapshot, each look walks over all that was claimed since then. */
  since(): number {
    const now = performance.now();
    if (now < this.#lookedFarAt + FAR_INTERVAL_MS) return this.#at - NEAR_MS;
    this.#lookedFarAt = now;
    return this.#at - SLACK_MS;
  }
}
