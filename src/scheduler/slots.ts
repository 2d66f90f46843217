/** How many runs one node may have at once. */
export class Slots {
  readonly #count: () => number;
  #taken = 0;
  #reserved = 0;

  /** @param count as it is now */
  constructor(count: () => number) {
    this.#count = count;
  }

  get taken(): number {
    return this.#taken;
  }

  get isFull(): boolean {
    return this.#taken >= this.#count();
  }

  /** Neither taken nor reserved. */
  get free(): number {
    return this.#count() - this.#taken - this.#reserved;
  }

  take(count = 1): void {
    this.#taken += count;
  }

  give(count = 1): void {
    this.#taken -= count;
  }

  /** For what a claim under way may start. @returns what gives them back */
  reserve(count: number): () => void {
    this.#reserved = count;
    return () => {
      this.#reserved = 0;
    };
  }
}
