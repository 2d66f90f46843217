/** So many failures within so long, and nobody is sent there any more but one after a pause, which grows. */
const MOST_FAILURES = 5;
const WITHIN_MS = 30_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Why nobody is sent to a system, and since when. */
export interface Break {
  /** Since when, by the clock of `now`. */
  readonly sinceMs: number;
  readonly retryAtMs: number;
  readonly why: string;
}

/** Whether another system is worth asking: one that does not answer holds up whoever waits for it. */
export class Circuit {
  readonly #now: () => number;
  #failures: number[] = [];
  #pauseMs = FIRST_PAUSE_MS;
  #broken: Break | undefined;

  /** @param now milliseconds of a clock that only goes on */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get broken(): Break | undefined {
    return this.#broken;
  }

  /** What keeps a call from being made. After each pause one is let through, and the others wait for how that ends. */
  refusal(): Break | undefined {
    const broken = this.#broken;
    if (broken === undefined) return undefined;
    const now = this.#now();
    if (now < broken.retryAtMs) return broken;
    this.#pause(broken.sinceMs, broken.why);
    return undefined;
  }

  /** @returns whether it was broken */
  succeeded(): boolean {
    const was = this.#broken !== undefined;
    this.#broken = undefined;
    this.#failures = [];
    this.#pauseMs = FIRST_PAUSE_MS;
    return was;
  }

  /**
   * @param tookMs how long the call was waited for: calls that hang one after the other are as close together as they can be
   * @returns whether it is broken from now on
   */
  failed(why: string, tookMs = 0): boolean {
    const now = this.#now();
    if (this.#broken !== undefined) {
      this.#broken = { ...this.#broken, why };
      return false;
    }
    const withinMs = WITHIN_MS + MOST_FAILURES * tookMs;
    this.#failures = [...this.#failures.filter((at) => now - at < withinMs), now];
    if (this.#failures.length < MOST_FAILURES) return false;
    this.#pause(now, why);
    return true;
  }

  #pause(sinceMs: number, why: string): void {
    const jitter = 0.8 + Math.random() * 0.4;
    this.#broken = { sinceMs, retryAtMs: this.#now() + this.#pauseMs * jitter, why };
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2);
  }
}
