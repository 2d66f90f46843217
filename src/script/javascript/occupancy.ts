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

  enter(occupant: Occupant): void {
    if (this.#inside === occupant) return;
    this.#inside?.leave();
    this.#inside = occupant;
    occupant.enter();
  }

  leave(occupant: Occupant): void {
    if (this.#inside !== occupant) return;
    this.#inside = undefined;
    occupant.leave();
  }
}
