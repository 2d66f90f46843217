/** Told when its code starts and stops to hold the thread. */
export interface Occupant {
  enter(): void;
  leave(): void;
}

/**
 * Who runs inside WebAssembly on this thread right now: nobody or one. The end of a run is learned a moment late,
 * when others may have entered; entering therefore sends away whoever is still believed to be inside.
 */
export class Occupancy {
  #inside: Occupant | undefined;
  #since = 0;
  #heldMs = 0;

  /** How long anybody has been inside, all in all. */
  get heldMs(): number {
    return this.#heldMs + (this.#inside === undefined ? 0 : performance.now() - this.#since);
  }

  enter(occupant: Occupant): void {
    if (this.#inside === occupant) return;
    if (this.#inside !== undefined) this.leave(this.#inside);
    this.#inside = occupant;
    this.#since = performance.now();
    occupant.enter();
  }

  leave(occupant: Occupant): void {
    if (this.#inside !== occupant) return;
    this.#heldMs += performance.now() - this.#since;
    this.#inside = undefined;
    occupant.leave();
  }
}
