import { FRESH_RUN, type Job, toRun } from './memory-job.ts';
import { showSchedule } from './memory-schedule-view.ts';
import type { MemorySchedule, MemorySchedules } from './memory-schedules.ts';
import type { MemoryTables } from './memory-tables.ts';
import { anchored, firstFiring } from './next-firing.ts';
import { type Asked, formatRunKey, type LedgerEntry, type Run, type RunKey } from './run.ts';
import { type ScheduleDefinition, timingOf } from './schedule.ts';
import { isRetimed } from './timing-change.ts';
import { parkedFiring, type WithdrawnFiring, withdrawnEntries } from './withdrawn-firing.ts';

/** Creates, edits, pauses and removes the schedules in memory. What it records of them is told after the change. */
export class MemoryRegister implements MemorySchedules {
  readonly #tables: MemoryTables;

  constructor(tables: MemoryTables) {
    this.#tables = tables;
  }

  async find(id: string): Promise<MemorySchedule | undefined> {
    const job = this.#tables.find(id);
    return job === undefined ? undefined : this.#show(job);
  }

  async list(): Promise<readonly MemorySchedule[]> {
    return this.#tables.list().map((job) => this.#show(job));
  }

  async put(id: string, definition: ScheduleDefinition, source: 'rest' | 'file'): Promise<void> {
    const old = this.#tables.find(id);
    const retimed = old === undefined || old.parkedFor !== null || isRetimed(old.definition, definition);
    const now = this.#tables.options.now();
    const job: Job = {
      triggerId: old?.triggerId ?? this.#tables.newTriggerId(id),
      id,
      source,
      definition: anchored(definition, now, retimed ? undefined : old.definition),
      generation: (old?.generation ?? 0) + (retimed ? 1 : 0),
      paused: old?.paused ?? false,
      parkedFor: null,
      previousRunAt: old?.previousRunAt ?? null,
      state: old?.state ?? -1,
      previousState: old?.previousState ?? -1,
    };
    this.#tables.put(job);
    let passed: LedgerEntry[] = [];
    if (retimed) {
      if (old !== undefined) passed = this.#withdraw(old, 'edited', now);
      if (definition.enabled) this.#planFirst(job, now);
    }
    this.#tables.noteState(job);
    this.#tables.onChange();
    if (old !== undefined) await this.#recordPassed(old, passed);
  }

  async remove(id: string): Promise<boolean> {
    const job = this.#tables.find(id);
    if (job === undefined) return false;
    this.#tables.remove(job);
    await this.#recordPassed(job, this.#withdraw(job, 'deleted', this.#tables.options.now()));
    return true;
  }

  async pauseAll(paused: boolean): Promise<void> {
    if (this.#tables.isPaused === paused) return;
    this.#tables.isPaused = paused;
    for (const job of this.#tables.list()) this.#tables.noteState(job);
    this.#tables.onChange();
  }

  async pause(id: string, paused: boolean): Promise<void> {
    const job = this.#tables.find(id);
    if (job === undefined) return;
    job.paused = paused;
    const now = this.#tables.options.now();
    for (const due of this.#tables.motionOf(job).due) {
      if (due.kind === 'planned') due.dueAt = paused ? Infinity : Math.max(due.fireAt, now);
    }
    let passed: LedgerEntry[] = [];
    if (!paused && job.parkedFor !== null) {
      passed = this.#withdraw(job, 'edited', now);
      job.parkedFor = null;
      this.#planFirst(job, now);
    }
    this.#tables.noteState(job);
    this.#tables.onChange();
    await this.#recordPassed(job, passed);
  }

  async trigger(id: string, asked: Asked): Promise<RunKey | undefined> {
    const job = this.#tables.find(id);
    if (job === undefined) return undefined;
    const { triggerId, generation } = job;
    const { due, runs, options, onChange } = this.#tables;
    const run = {
      ...FRESH_RUN,
      triggerId,
      generation,
      nextPlanned: true,
      kind: 'manual' as const,
      cause: asked,
    };
    const keyAt = (fireAt: number) => formatRunKey({ ...run, fireAt });
    let fireAt = Math.floor(options.now());
    while (due.has(keyAt(fireAt)) || runs.has(keyAt(fireAt))) fireAt++;
    due.set(keyAt(fireAt), { ...run, fireAt, dueAt: fireAt });
    onChange();
    return { triggerId, generation, fireAt };
  }

  #planFirst(job: Job, now: number): void {
    const first = firstFiring(timingOf(job.definition, this.#tables.options.dst?.()), now);
    if (first !== null) this.#tables.plan(job, first);
  }

  /** @returns the entries of times that had come and will not fire any more */
  #withdraw(job: Job, because: 'edited' | 'deleted', now: number): LedgerEntry[] {
    const { generation, id: jobId, definition } = job;
    const { due: waiting, runs: claimed } = this.#tables.motionOf(job);
    const firings: WithdrawnFiring[] = [];
    const note = (run: Run, isBegun: boolean) => {
      if (run.generation === generation) firings.push({ ...toRun(run), isBegun });
    };
    for (const due of waiting) {
      this.#tables.due.delete(formatRunKey(due));
      note(due, false);
    }
    for (const run of claimed) {
      if (run.startedAt === null) this.#tables.runs.delete(formatRunKey(run));
      note(run, run.startedAt !== null);
    }
    if (job.parkedFor !== null) firings.push(parkedFiring(job.parkedFor));
    const { nodeName, dst } = this.#tables.options;
    return withdrawnEntries({ jobId, definition, nodeName, now, because, dst: dst?.() ?? 'quartz' }, firings);
  }

  async #recordPassed({ triggerId, generation }: Job, entries: readonly LedgerEntry[]): Promise<void> {
    const run = { ...FRESH_RUN, triggerId, generation, fireAt: 0 };
    if (entries.length > 0) await this.#tables.options.record([{ run, next: null, entries }]);
  }

  #show(job: Job): MemorySchedule {
    return showSchedule(job, this.#tables.motionOf(job), this.#tables.options.nodeName);
  }
}
