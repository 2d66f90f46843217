const FIRST_STEPS = 16;
/**
 * A stack that overflows costs half a millisecond each time, for its trace, where a common step costs some
 * nanoseconds. So many of them must not take longer than a script may miss its deadline by.
 */
const MOST_STEPS = 512;
const SHORT_MS = 1;
const LONG_MS = 4;

/**
 * How many steps a script may make until it is asked again whether it must end. What a step costs is up to the
 * script: from a turn of an empty loop to a search through a megabyte.
 */
export class InterruptPace {
  #steps = FIRST_STEPS;
  #askedAt = 0;

  /** A run begins. */
  begin(): number {
    this.#steps = FIRST_STEPS;
    this.resume();
    return this.#steps;
  }

  /** It goes on, after a wait in which it made no steps. */
  resume(): void {
    this.#askedAt = performance.now();
  }

  /** It was asked, and is over or not. */
  next(isOver: boolean): number {
    // Promises swallow the end of the code in them: whatever is asked next has to end as well.
    if (isOver) return 0;
    const now = performance.now();
    const tookMs = now - this.#askedAt;
    this.#askedAt = now;
    if (tookMs > LONG_MS) this.#steps = Math.max(1, Math.floor((this.#steps * LONG_MS) / tookMs));
    else if (tookMs < SHORT_MS) this.#steps = Math.min(MOST_STEPS, this.#steps * 2);
    return this.#steps;
  }
}
