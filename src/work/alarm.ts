/** Rings once, at the earliest of the times for which it was set. */
export class Alarm {
  readonly #ring: () => void;
  #set: { readonly at: number; readonly timer: NodeJS.Timeout } | undefined;

  constructor(ring: () => void) {
    this.#ring = ring;
  }

  /** @param at epoch ms. @param ms from now until then; at 0 and below it rings at once */
  set(at: number, ms: number): void {
    if (ms <= 0) {
      this.#ring();
      return;
    }
    if (this.#set !== undefined && this.#set.at <= at) return;
    this.clear();
    const timer = setTimeout(() => {
      this.#set = undefined;
      this.#ring();
    }, Math.ceil(ms));
    this.#set = { at, timer };
  }

  clear(): void {
    clearTimeout(this.#set?.timer);
    this.#set = undefined;
  }
}
