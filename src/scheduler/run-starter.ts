import type { Solitude } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import type { Holder } from '#work/index.ts';
import type { JobStore } from './job-store.ts';
import type { Run, StartedRun } from './run.ts';
import type { Slots } from './slots.ts';

const MAX_BATCH = 500;
/** Statements under way at once; what becomes ready meanwhile goes with the next one. */
const MAX_STARTS = 2;

export interface RunStarterOptions {
  readonly store: Pick<JobStore, 'start'>;
  readonly holder: () => Holder;
  readonly slots: Slots;
  readonly solitude: Solitude;
  /**
   * Told at once what became of a batch. A run that is missing in `started` was not started; when that is undefined,
   * nobody knows.
   *
   * @returns at the end of what was started
   */
  readonly answered: (
    batch: readonly Run[],
    started: readonly StartedRun[] | undefined,
    life: Holder,
  ) => Promise<unknown>;
  readonly observe: Observe;
}

/** Starts claimed runs that are ready: all that become so in one turn of the loop with one statement, as slots are free. */
export class RunStarter {
  readonly #options: RunStarterOptions;
  #ready: Run[] = [];
  #starting: Run[] = [];
  #underWay = 0;
  #isScheduled = false;

  constructor(options: RunStarterOptions) {
    this.#options = options;
  }

  /** How many wait for a slot. */
  get waiting(): number {
    return this.#ready.length;
  }

  get isStarting(): boolean {
    return this.#underWay > 0;
  }

  push(run: Run): void {
    this.#ready.push(run);
    this.schedule();
  }

  /** Looks again whether something can start. */
  schedule(): void {
    if (this.#isScheduled || this.#ready.length === 0 || this.#underWay >= MAX_STARTS) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#startBatch();
    });
  }

  #startBatch(): void {
    const { slots, solitude } = this.#options;
    const free = Math.min(slots.free, MAX_BATCH);
    if (free <= 0 || this.#ready.length === 0 || this.#underWay >= MAX_STARTS || !solitude.isOpen) return;
    const batch = this.#ready.slice(0, free);
    this.#ready = this.#ready.slice(free);
    void this.start(batch);
  }

  /** Starts these, slots or no slots. @returns when all have ended that could be started */
  async start(batch: readonly Run[]): Promise<void> {
    const { store, holder, slots, solitude, answered, observe } = this.#options;
    const begun = solitude.begin();
    this.#starting = [...this.#starting, ...batch];
    const life = holder();
    slots.take(batch.length);
    this.#underWay += 1;
    let started: readonly StartedRun[] | undefined;
    try {
      started = await store.start(life, batch);
    } catch (error) {
      observe({ kind: 'loop.failed', loop: 'start of runs', error });
    }
    this.#underWay -= 1;
    const taken = new Set(batch);
    this.#starting = this.#starting.filter((run) => !taken.has(run));
    slots.give(batch.length - (started?.length ?? 0));
    const ended = answered(batch, started, life);
    begun();
    this.schedule();
    await ended;
  }

  /** Forgets what has not started. @returns it */
  clear(): readonly Run[] {
    const forgotten = [...this.#ready, ...this.#starting];
    this.#ready = [];
    this.#starting = [];
    return forgotten;
  }
}
