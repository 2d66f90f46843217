/** Bursts come again, and some after the other: what was made for one is kept for the next this long. */
const LOOK_MS = 5_000;

/**
 * Tells how many of the idle have had nothing to do for a while. It looks only while there are more of them than are
 * kept anyway; those that were never needed between two looks are the surplus.
 */
export class Surplus {
  readonly #kept: number;
  readonly #shed: (count: number) => void;
  #idle = 0;
  #leastIdle = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(kept: number, shed: (count: number) => void) {
    this.#kept = kept;
    this.#shed = shed;
  }

  /** To be told whenever one begins or ends to be idle. */
  note(idle: number): void {
    this.#idle = idle;
    this.#leastIdle = Math.min(this.#leastIdle, idle);
    if (idle > this.#kept) this.#timer ??= setTimeout(() => this.#look(), LOOK_MS).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    this.#timer = undefined;
    const count = Math.min(this.#leastIdle, this.#idle - this.#kept);
    this.#leastIdle = this.#idle;
    if (count > 0) this.#shed(count);
    else this.note(this.#idle);
  }
}
