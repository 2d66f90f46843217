import { createHash } from 'node:crypto';
import type { DaylightSaving } from './cron/index.ts';
import { type Due, FRESH_RUN, type Held, type Job } from './memory-job.ts';
import { stateOf } from './memory-schedule-view.ts';
import { type Completion, formatRunKey, type Run, type RunKey } from './run.ts';

export interface MemoryTablesOptions {
  readonly nodeName: string;
  /** Epoch ms by the database's clock, so that both schedulers agree. */
  readonly now: () => number;
  readonly dst?: () => DaylightSaving;
  /** Takes the entries for the ledger. Must not reject. */
  readonly record: (completions: readonly Completion[]) => Promise<void>;
}

/** Where the persistent store has tables: the schedules in memory, and by run key what waits and what was claimed. */
export class MemoryTables {
  readonly options: MemoryTablesOptions;
  readonly due = new Map<string, Due>();
  readonly runs = new Map<string, Held>();
  readonly #jobs = new Map<string, Job>();
  readonly #byTrigger = new Map<number, Job>();
  /** All schedules are. */
  isPaused = false;
  /** Told when something new waits. */
  onChange: () => void = () => {};

  constructor(options: MemoryTablesOptions) {
    this.options = options;
  }

  find(id: string): Job | undefined {
    return this.#jobs.get(id);
  }

  list(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  put(job: Job): void {
    this.#jobs.set(job.id, job);
    this.#byTrigger.set(job.triggerId, job);
  }

  remove(job: Job): void {
    this.#jobs.delete(job.id);
    this.#byTrigger.delete(job.triggerId);
  }

  /** The schedule of a run as it is now; it may have been edited since. */
  jobByTrigger(triggerId: number): Job | undefined {
    return this.#byTrigger.get(triggerId);
  }

  /** The schedule of a run, unless it was edited or removed since. */
  jobOf({ triggerId, generation }: RunKey): Job | undefined {
    const job = this.#byTrigger.get(triggerId);
    return job?.generation === generation ? job : undefined;
  }

  /** What waits and what was claimed of a schedule. */
  motionOf(job: Job): { readonly due: readonly Due[]; readonly runs: readonly Held[] } {
    const isOfJob = ({ triggerId }: RunKey) => triggerId === job.triggerId;
    return { due: [...this.due.values()].filter(isOfJob), runs: [...this.runs.values()].filter(isOfJob) };
  }

  /** Notes which state its trigger has now, after anything that may have changed it. */
  noteState(job: Job): void {
    const state = stateOf(job, { ...this.motionOf(job), isPaused: this.isPaused });
    if (state === job.state) return;
    job.previousState = job.state;
    job.state = state;
  }

  /** Lets a planned firing wait for its time, in epoch ms. */
  plan(job: Job, fireAt: number, cause: Run['cause'] = null): void {
    const run = { ...FRESH_RUN, triggerId: job.triggerId, generation: job.generation, fireAt, cause };
    const dueAt = job.paused ? Infinity : Math.max(fireAt, this.options.now());
    this.due.set(formatRunKey(run), { ...run, dueAt });
  }

  /** Below zero, where no row of the database is; the ledger tells the same schedule on two nodes apart by it. */
  newTriggerId(id: string): number {
    return -1 - createHash('sha256').update(`${this.options.nodeName}\n${id}`).digest().readUIntBE(0, 6);
  }
}
