import type { Run } from './run.ts';

/** Claimed runs that wait for their time, or to be tried again. */
export class WaitingRuns {
  readonly #waiting = new Map<Run, NodeJS.Timeout>();

  /** @param then called after so many ms, unless it is forgotten before */
  add(run: Run, ms: number, then: () => void): void {
    const end = () => {
      this.#waiting.delete(run);
      then();
    };
    this.#waiting.set(run, setTimeout(end, Math.ceil(ms)));
  }

  /** Forgets all. @returns them */
  clear(): readonly Run[] {
    const forgotten = [...this.#waiting.keys()];
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
    return forgotten;
  }
}
