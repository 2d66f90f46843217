import { createHash } from 'node:crypto';
import type { Claim, ClaimOptions } from './claim-repository.ts';
import type { DaylightSaving } from './cron/index.ts';
import type { JobStore } from './job-store.ts';
import { droppedEntry, parkedEntry } from './memory-entries.ts';
import type { Due, Held, Job } from './memory-job.ts';
import { showSchedule } from './memory-schedule-view.ts';
import type { MemorySchedule, MemorySchedules } from './memory-schedules.ts';
import { firstFiring } from './next-firing.ts';
import { MAX_ATTEMPTS, MAX_SUSPICIONS, type Release, type Released } from './release-repository.ts';
import {
  type Asked,
  type Completion,
  formatRunKey,
  type Holder,
  type LedgerEntry,
  type Run,
  type RunKey,
  type StartedRun,
} from './run.ts';
import { isRepeatable, NORMAL_PRIORITY, type ScheduleDefinition, timingOf } from './schedule.ts';
import { isRetimed } from './timing-change.ts';
import { parkedFiring, type WithdrawnFiring, withdrawnEntries } from './withdrawn-firing.ts';

export interface MemoryJobStoreOptions {
  readonly nodeName: string;
  /** Epoch ms by the database's clock, so that both schedulers agree. */
  readonly now: () => number;
  readonly dst?: () => DaylightSaving;
  /** Takes the entries for the ledger. Must not reject. */
  readonly record: (completions: readonly Completion[]) => Promise<void>;
}

const BLOCKED_RETRY_MS = 250;

/**
 * Schedules that only this process knows: each node fires its own, and they are gone with it. The same contract as
 * the persistent store, with maps in place of its tables.
 */
export class MemoryJobStore implements JobStore, MemorySchedules {
  readonly kind = 'memory';
  readonly #options: MemoryJobStoreOptions;
  readonly #jobs = new Map<string, Job>();
  readonly #byTrigger = new Map<number, Job>();
  readonly #due = new Map<string, Due>();
  readonly #runs = new Map<string, Held>();
  #paused = false;
  /** Told when something new waits. */
  onChange: () => void = () => {};

  constructor(options: MemoryJobStoreOptions) {
    this.#options = options;
  }

  async claim({ holder, limit, lookAheadMs, serviceRoom }: ClaimOptions): Promise<Claim> {
    if (this.#paused) return { runs: [], nextDueAt: null };
    const until = this.#options.now() + lookAheadMs;
    const waiting = [...this.#due.entries()].sort(([, left], [, right]) => this.#inOrder(left, right));
    const room = new Map(serviceRoom);
    const runs: (Due & { limitedService?: string })[] = [];
    for (const [key, due] of waiting) {
      if (due.dueAt > until || runs.length === limit) break;
      const service = this.#byTrigger.get(due.triggerId)?.definition.invokeService ?? '';
      const free = room.get(service);
      if (free !== undefined && free <= 0) continue;
      const blocker = this.#blockerOf(due);
      if (blocker !== undefined) {
        this.#due.set(key, this.#afterBlock(due, blocker));
        continue;
      }
      this.#due.delete(key);
      this.#runs.set(key, { ...due, holder, claimedAt: this.#options.now(), startedAt: null });
      runs.push(free === undefined ? due : { ...due, limitedService: service });
      if (free !== undefined) room.set(service, free - 1);
    }
    const left = [...this.#due.values()].map(({ dueAt }) => dueAt).filter(Number.isFinite);
    return {
      runs,
      nextDueAt: runs.length < limit && left.length > 0 ? left.reduce((a, b) => Math.min(a, b)) : null,
    };
  }

  async start(holder: Holder, keys: readonly RunKey[]): Promise<StartedRun[]> {
    const dropped: Completion[] = [];
    const started = keys.flatMap((each): StartedRun[] => {
      const key = formatRunKey(each);
      const run = this.#runs.get(key);
      if (run === undefined || !isHeldBy(run, holder)) return [];
      const job = this.#jobOf(run);
      if (job === undefined || (job.parkedFor !== null && run.kind !== 'manual')) {
        this.#runs.delete(key);
        if (job !== undefined)
          dropped.push({ run, next: null, entries: [droppedEntry(job, run, this.#options)] });
        return [];
      }
      if (job.paused && run.kind === 'planned') {
        this.#runs.delete(key);
        this.#due.set(key, { ...toRun(run), dueAt: Infinity });
        return [];
      }
      run.startedAt = this.#options.now();
      return [{ ...toRun(run), jobId: job.id, definition: job.definition }];
    });
    if (dropped.length > 0) await this.#options.record(dropped);
    return started;
  }

  async planNext(holder: Holder, run: Run, next: number, passed: readonly LedgerEntry[]): Promise<void> {
    const key = formatRunKey(run);
    const held = this.#runs.get(key);
    if (held === undefined || !isHeldBy(held, holder) || held.nextPlanned) return;
    this.#runs.set(key, { ...held, nextPlanned: true });
    const job = this.#jobOf(run);
    if (job !== undefined) this.#wait(job, next);
    if (passed.length > 0) await this.#options.record([{ run, next, entries: passed }]);
  }

  async complete(holder: Holder, completions: readonly Completion[]): Promise<ReadonlySet<string>> {
    const ours = completions.filter(({ run }) => {
      const held = this.#runs.get(formatRunKey(run));
      return held !== undefined && isHeldBy(held, holder) && held.attempt === run.attempt;
    });
    for (const completion of ours) this.#end(completion);
    for (const { run } of ours) this.#forgetIfFinished(run);
    await this.#options.record(ours);
    return new Set(ours.map(({ run }) => formatRunKey(run)));
  }

  async findFate(holder: Holder, { run }: Completion): Promise<'open' | 'lost'> {
    const held = this.#runs.get(formatRunKey(run));
    return held !== undefined && isHeldBy(held, holder) ? 'open' : 'lost';
  }

  async listHeld(holder: Holder): Promise<readonly Run[]> {
    return [...this.#runs.values()].filter((run) => isHeldBy(run, holder)).map(toRun);
  }

  async handBack(holder: Holder): Promise<number> {
    const held = [...this.#runs.values()]
      .filter((run) => isHeldBy(run, holder) && run.startedAt === null)
      .map(toRun);
    for (const run of held) {
      this.#runs.delete(formatRunKey(run));
      if (this.#jobOf(run) === undefined) continue;
      this.#due.set(formatRunKey(run), { ...run, dueAt: Math.max(run.fireAt, this.#options.now()) });
    }
    return held.length;
  }

  async release(holder: Holder, by: string, { only, isSuspect = true }: Release = {}): Promise<Released> {
    const parked: { jobId: string; attempts: number }[] = [];
    let released = 0;
    for (const [key, run] of [...this.#runs]) {
      if (!isHeldBy(run, holder) || (only !== undefined && formatRunKey(only) !== key)) continue;
      this.#runs.delete(key);
      const job = this.#jobOf(run);
      if (job === undefined) continue;
      const isLost = run.startedAt !== null && !isRepeatable(job.definition);
      const attempt = run.startedAt === null ? run.attempt : run.attempt + 1;
      const before = run.cause?.kind === 'released' ? (run.cause.suspected ?? 0) : 0;
      const suspected = isSuspect && run.startedAt !== null ? before + 1 : before;
      if ((suspected >= MAX_SUSPICIONS || attempt > MAX_ATTEMPTS) && !isLost) {
        job.parkedFor = run.fireAt;
        parked.push({ jobId: job.id, attempts: run.attempt });
        await this.#options.record([{ run, next: null, entries: [parkedEntry(job, run, by)] }]);
        continue;
      }
      released += 1;
      const now = this.#options.now();
      this.#due.set(key, {
        ...toRun(run),
        attempt,
        dueAt: now,
        lateFrom: Math.max(now, run.fireAt),
        kind: isLost ? 'lost' : run.kind,
        cause: {
          kind: 'released',
          node: by,
          at: new Date(now).toISOString(),
          suspected,
          ...(run.cause?.transaction === undefined ? {} : { transaction: run.cause.transaction }),
        },
      });
    }
    this.onChange();
    return { released, parked };
  }

  /** Its only life is this process. */
  async sweep(): Promise<void> {}

  async find(id: string): Promise<MemorySchedule | undefined> {
    const job = this.#jobs.get(id);
    return job === undefined ? undefined : this.#show(job);
  }

  async list(): Promise<readonly MemorySchedule[]> {
    return [...this.#jobs.values()].map((job) => this.#show(job));
  }

  async put(id: string, definition: ScheduleDefinition, source: 'rest' | 'file'): Promise<void> {
    const old = this.#jobs.get(id);
    const retimed = old === undefined || old.parkedFor !== null || isRetimed(old.definition, definition);
    const passed: LedgerEntry[] = [];
    const job: Job = {
      triggerId: old?.triggerId ?? triggerIdOf(this.#options.nodeName, id),
      id,
      source,
      definition,
      generation: (old?.generation ?? 0) + (retimed ? 1 : 0),
      paused: old?.paused ?? false,
      parkedFor: null,
      previousRunAt: old?.previousRunAt ?? null,
    };
    this.#jobs.set(id, job);
    this.#byTrigger.set(job.triggerId, job);
    if (retimed) {
      const now = this.#options.now();
      if (old !== undefined) passed.push(...this.#withdraw(old, 'edited', now));
      const first = definition.enabled ? this.#firstOf(definition, now) : null;
      if (first !== null) this.#wait(job, first);
    }
    this.onChange();
    if (old !== undefined) await this.#recordPassed(old, passed);
  }

  async remove(id: string): Promise<boolean> {
    const job = this.#jobs.get(id);
    if (job === undefined) return false;
    this.#jobs.delete(id);
    this.#byTrigger.delete(job.triggerId);
    await this.#recordPassed(job, this.#withdraw(job, 'deleted', this.#options.now()));
    return true;
  }

  async pauseAll(paused: boolean): Promise<void> {
    if (this.#paused === paused) return;
    this.#paused = paused;
    this.onChange();
  }

  async pause(id: string, paused: boolean): Promise<void> {
    const job = this.#jobs.get(id);
    if (job === undefined) return;
    job.paused = paused;
    const now = this.#options.now();
    for (const due of this.#due.values()) {
      if (due.triggerId === job.triggerId && due.kind === 'planned') {
        due.dueAt = paused ? Infinity : Math.max(due.fireAt, now);
      }
    }
    let passed: LedgerEntry[] = [];
    if (!paused && job.parkedFor !== null) {
      passed = this.#withdraw(job, 'edited', now);
      job.parkedFor = null;
      const first = this.#firstOf(job.definition, now);
      if (first !== null) this.#wait(job, first);
    }
    this.onChange();
    await this.#recordPassed(job, passed);
  }

  async trigger(id: string, asked: Asked): Promise<RunKey | undefined> {
    const job = this.#jobs.get(id);
    if (job === undefined) return undefined;
    const { triggerId, generation } = job;
    const run = { ...FRESH, triggerId, generation, nextPlanned: true, kind: 'manual' as const, cause: asked };
    let fireAt = Math.floor(this.#options.now());
    while (
      this.#due.has(formatRunKey({ ...run, fireAt })) ||
      this.#runs.has(formatRunKey({ ...run, fireAt }))
    )
      fireAt++;
    this.#due.set(formatRunKey({ ...run, fireAt }), { ...run, fireAt, dueAt: fireAt });
    this.onChange();
    return { triggerId, generation, fireAt };
  }

  #firstOf(definition: ScheduleDefinition, now: number): number | null {
    return firstFiring(timingOf(definition, this.#options.dst?.()), now);
  }

  #end({ run, next, entries }: Completion): void {
    const key = formatRunKey(run);
    const held = this.#runs.get(key)!;
    this.#runs.delete(key);
    const job = this.#jobOf(run);
    if (job === undefined) return;
    job.previousRunAt = entries.findLast((entry) => entry.startedAt !== null)?.plannedAt ?? job.previousRunAt;
    if (held.nextPlanned || next === null) return;
    const now = this.#options.now();
    const iso = (at: number) => new Date(at).toISOString();
    const by = {
      kind: 'blocked' as const,
      by: iso(run.fireAt),
      node: this.#options.nodeName,
      until: iso(now),
    };
    this.#wait(job, next, next < now ? by : null);
  }

  #forgetIfFinished(run: Run): void {
    const job = this.#jobOf(run);
    if (job === undefined || job.source === 'file' || job.parkedFor !== null || !job.definition.enabled)
      return;
    const isOfJob = ({ triggerId }: RunKey) => triggerId === job.triggerId;
    if ([...this.#due.values()].some(isOfJob) || [...this.#runs.values()].some(isOfJob)) return;
    this.#jobs.delete(job.id);
    this.#byTrigger.delete(job.triggerId);
  }

  #wait(job: Job, fireAt: number, cause: Run['cause'] = null): void {
    const run = { ...FRESH, triggerId: job.triggerId, generation: job.generation, fireAt, cause };
    const dueAt = job.paused ? Infinity : Math.max(fireAt, this.#options.now());
    this.#due.set(formatRunKey(run), { ...run, dueAt });
  }

  /** @returns the entries of times that had come and will not fire any more */
  #withdraw(job: Job, because: 'edited' | 'deleted', now: number): LedgerEntry[] {
    const { triggerId, generation, id: jobId, definition } = job;
    const firings: WithdrawnFiring[] = [];
    const note = (run: Run, isBegun: boolean) => {
      if (run.generation === generation) firings.push({ ...toRun(run), isBegun });
    };
    for (const [key, due] of this.#due) {
      if (due.triggerId !== triggerId) continue;
      this.#due.delete(key);
      note(due, false);
    }
    for (const [key, run] of this.#runs) {
      if (run.triggerId !== triggerId) continue;
      if (run.startedAt === null) this.#runs.delete(key);
      note(run, run.startedAt !== null);
    }
    if (job.parkedFor !== null) firings.push(parkedFiring(job.parkedFor));
    const { nodeName, dst } = this.#options;
    return withdrawnEntries({ jobId, definition, nodeName, now, because, dst: dst?.() ?? 'quartz' }, firings);
  }

  async #recordPassed({ triggerId, generation }: Job, entries: readonly LedgerEntry[]): Promise<void> {
    const run = { ...FRESH, triggerId, generation, fireAt: 0 };
    if (entries.length > 0) await this.#options.record([{ run, next: null, entries }]);
  }

  /** The job of a run, unless it was edited or removed since. */
  #jobOf({ triggerId, generation }: RunKey): Job | undefined {
    const job = this.#byTrigger.get(triggerId);
    return job?.generation === generation ? job : undefined;
  }

  #inOrder(left: Due, right: Due): number {
    const priority = ({ triggerId }: Due) =>
      this.#byTrigger.get(triggerId)?.definition.priority ?? NORMAL_PRIORITY;
    return left.dueAt - right.dueAt || priority(right) - priority(left);
  }

  #show(job: Job): MemorySchedule {
    const isOfJob = ({ triggerId }: RunKey) => triggerId === job.triggerId;
    const runs = [...this.#runs.values()].filter(isOfJob);
    const due = [...this.#due.values()].filter(isOfJob);
    return showSchedule(job, { runs, due, nodeName: this.#options.nodeName, isPaused: this.#paused });
  }

  /** The run that it may not run beside. */
  #blockerOf({ triggerId }: Due): Held | undefined {
    const definition = this.#byTrigger.get(triggerId)?.definition;
    const key = definition?.concurrencyKey;
    const excludes = (run: Held) =>
      (run.triggerId === triggerId && definition?.concurrentExecution === false) ||
      (key !== undefined && this.#byTrigger.get(run.triggerId)?.definition.concurrencyKey === key);
    return [...this.#runs.values()].find(excludes);
  }

  #afterBlock(due: Due, other: Held): Due {
    const by = new Date(other.fireAt).toISOString();
    const schedule = this.#byTrigger.get(other.triggerId)?.id;
    const cause = {
      kind: 'blocked' as const,
      by,
      node: this.#options.nodeName,
      until: null,
      ...(other.triggerId === due.triggerId || schedule === undefined ? {} : { schedule }),
      ...(due.cause?.transaction === undefined ? {} : { transaction: due.cause.transaction }),
    };
    return {
      ...due,
      dueAt: this.#options.now() + BLOCKED_RETRY_MS,
      cause: due.cause === null || due.cause.kind === 'requested' ? cause : due.cause,
    };
  }
}

const FRESH = { attempt: 1, lateFrom: null, nextPlanned: false, kind: 'planned', cause: null } as const;

function toRun({ triggerId, generation, fireAt, attempt, lateFrom, nextPlanned, kind, cause }: Run): Run {
  return { triggerId, generation, fireAt, attempt, lateFrom, nextPlanned, kind, cause };
}

function isHeldBy({ holder }: Held, { nodeId, epoch }: Holder): boolean {
  return holder.nodeId === nodeId && holder.epoch === epoch;
}

/** Below zero, where no row of the database is; the ledger tells the same schedule on two nodes apart by it. */
function triggerIdOf(nodeName: string, id: string): number {
  return -1 - createHash('sha256').update(`${nodeName}\n${id}`).digest().readUIntBE(0, 6);
}
