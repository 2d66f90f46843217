import type { Solitude } from '#lifecycle/index.ts';
import type { Run } from './run.ts';
import { subjectOf } from './suspicion.ts';

export interface SuspectQueueOptions {
  readonly solitude: Solitude;
  /** Starts the run and waits for its end; where it could not be alone it takes its place among the others. */
  readonly run: (run: Run, isAlone: boolean) => Promise<void>;
}

/** Runs that may have ended their nodes wait here to be tried one at a time, each alone on its node. */
export class SuspectQueue {
  readonly #options: SuspectQueueOptions;
  #runs: Run[] = [];

  constructor(options: SuspectQueueOptions) {
    this.#options = options;
  }

  get waiting(): readonly Run[] {
    return this.#runs;
  }

  push(run: Run): void {
    const { solitude, run: start } = this.#options;
    const waits = () => this.#runs.includes(run);
    this.#runs.push(run);
    void solitude.alone({
      subject: subjectOf(run),
      isWanted: waits,
      run: async (isAlone) => {
        this.#runs = this.#runs.filter((other) => other !== run);
        await start(run, isAlone);
      },
    });
  }

  /** Forgets all that wait. */
  clear(): void {
    this.#runs = [];
  }
}
