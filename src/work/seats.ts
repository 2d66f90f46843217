/** Pieces that may wait for their commits beside what is executed: so many fill the statements that commit them. */
const MOST_COMPLETING = 1_000;

/** What is executed together. */
export interface Unit<Work> {
  readonly works: readonly Work[];
  hasSeat: boolean;
}

/** The seats of units: a unit takes a seat, leaves it once all that is left is to commit it, and ends. */
export class Seats<Work> {
  readonly #units = new Set<Unit<Work>>();
  #taken = 0;
  /** Pieces of units without a seat. */
  #completing = 0;
  #active = 0;

  get taken(): number {
    return this.#taken;
  }

  /** Pieces that have begun and not ended. */
  get active(): number {
    return this.#active;
  }

  get works(): readonly Work[] {
    return [...this.#units].flatMap(({ works }) => works);
  }

  take(works: readonly Work[]): Unit<Work> {
    const unit = { works, hasSeat: true };
    this.#units.add(unit);
    this.#taken += 1;
    this.#active += works.length;
    return unit;
  }

  /** Others may begin while it is committed, as long as that is not much. @returns whether its seat is free now */
  leave(unit: Unit<Work>): boolean {
    if (!unit.hasSeat || this.#completing >= MOST_COMPLETING) return false;
    unit.hasSeat = false;
    this.#taken -= 1;
    this.#completing += unit.works.length;
    return true;
  }

  end(unit: Unit<Work>): void {
    this.#units.delete(unit);
    this.#active -= unit.works.length;
    if (unit.hasSeat) this.#taken -= 1;
    else this.#completing -= unit.works.length;
  }
}
