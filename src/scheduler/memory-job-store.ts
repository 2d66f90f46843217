import { MAX_SUSPICIONS } from '#lifecycle/index.ts';
import type { Claim, ClaimOptions } from './claim-repository.ts';
import type { JobStore } from './job-store.ts';
import { droppedEntry, outdatedEntry, parkedEntry } from './memory-entries.ts';
import { type Due, type Held, toRun } from './memory-job.ts';
import { MemoryRegister } from './memory-register.ts';
import type { MemorySchedules } from './memory-schedules.ts';
import { MemoryTables, type MemoryTablesOptions } from './memory-tables.ts';
import { MAX_ATTEMPTS, type Release, type Released } from './release-repository.ts';
import {
  type Completion,
  formatRunKey,
  type Holder,
  type LedgerEntry,
  type Run,
  type RunKey,
  type StartedRun,
} from './run.ts';
import { isRepeatable, NORMAL_PRIORITY } from './schedule.ts';
import { subjectOf, suspicionAfter, suspicionOf } from './suspicion.ts';

const BLOCKED_RETRY_MS = 250;

/**
 * Fires schedules that only this process knows: each node fires its own, and they are gone with it. The same contract
 * as the persistent store, with maps in place of its tables.
 */
export class MemoryJobStore implements JobStore {
  readonly kind = 'memory';
  /** What it fires. */
  readonly schedules: MemorySchedules;
  readonly #options: MemoryTablesOptions;
  readonly #tables: MemoryTables;
  readonly #due: Map<string, Due>;
  readonly #runs: Map<string, Held>;

  constructor(options: MemoryTablesOptions) {
    this.#options = options;
    this.#tables = new MemoryTables(options);
    this.#due = this.#tables.due;
    this.#runs = this.#tables.runs;
    this.schedules = new MemoryRegister(this.#tables);
  }

  /** @param wake told when something new waits */
  onChange(wake: () => void): void {
    this.#tables.onChange = wake;
  }

  async claim({ holder, limit, lookAheadMs, serviceRoom }: ClaimOptions): Promise<Claim> {
    if (this.#tables.isPaused) return { runs: [], nextDueAt: null };
    const until = this.#options.now() + lookAheadMs;
    const waiting = [...this.#due.entries()].sort(([, left], [, right]) => this.#inOrder(left, right));
    const room = new Map(serviceRoom);
    const runs: (Due & { limitedService?: string })[] = [];
    for (const [key, due] of waiting) {
      if (due.dueAt > until || runs.length === limit) break;
      const service = this.#tables.jobByTrigger(due.triggerId)?.definition.invokeService ?? '';
      const free = room.get(service);
      if (free !== undefined && free <= 0) continue;
      const blocker = this.#blockerOf(due);
      if (blocker !== undefined) {
        this.#due.set(key, this.#afterBlock(due, blocker));
        continue;
      }
      this.#due.delete(key);
      const jobId = this.#tables.jobByTrigger(due.triggerId)?.id ?? '';
      this.#runs.set(key, { ...due, jobId, holder, claimedAt: this.#options.now(), startedAt: null });
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
      const job = this.#tables.jobOf(run);
      if (job === undefined || (job.parkedFor !== null && run.kind !== 'manual')) {
        this.#runs.delete(key);
        if (job !== undefined)
          dropped.push({ run, next: null, entries: [droppedEntry(job, run, this.#options)] });
        return [];
      }
      if ((job.paused || this.#tables.isPaused) && run.kind === 'planned') {
        this.#runs.delete(key);
        const dueAt = job.paused ? Infinity : Math.max(run.fireAt, this.#options.now());
        this.#due.set(key, { ...toRun(run), dueAt });
        return [];
      }
      run.startedAt = this.#options.now();
      this.#tables.noteState(job);
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
    const job = this.#tables.jobOf(run);
    if (job !== undefined) this.#tables.plan(job, next);
    if (passed.length > 0) await this.#options.record([{ run, next, entries: passed }]);
  }

  async complete(holder: Holder, completions: readonly Completion[]): Promise<ReadonlySet<string>> {
    const ours = completions.filter(({ run }) => {
      const held = this.#runs.get(formatRunKey(run));
      return held !== undefined && isHeldBy(held, holder) && held.attempt === run.attempt;
    });
    for (const completion of ours) this.#end(completion);
    for (const { run } of ours) this.#noteState(run);
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

  async handBack(holder: Holder, except: readonly Run[] = []): Promise<number> {
    const kept = new Set(except.map(subjectOf));
    const held = [...this.#runs.values()]
      .filter((run) => isHeldBy(run, holder) && run.startedAt === null && !kept.has(subjectOf(run)))
      .map(toRun);
    for (const run of held) {
      this.#runs.delete(formatRunKey(run));
      if (this.#tables.jobOf(run) === undefined) continue;
      this.#due.set(formatRunKey(run), {
        ...run,
        dueAt: Math.max(run.fireAt, this.#options.now()),
      });
    }
    return held.length;
  }

  async release(
    holder: Holder,
    by: string,
    { only, isSuspect = true, alone = null }: Release = {},
  ): Promise<Released> {
    const parked: { jobId: string; attempts: number }[] = [];
    let released = 0;
    for (const [key, run] of [...this.#runs]) {
      if (!isHeldBy(run, holder) || (only !== undefined && formatRunKey(only) !== key)) continue;
      this.#runs.delete(key);
      const job = this.#tables.jobOf(run);
      if (job === undefined) {
        const was = this.#tables.jobByTrigger(run.triggerId) !== undefined ? 'edited' : 'deleted';
        const entries = run.startedAt === null ? [] : [outdatedEntry(run, by, was)];
        this.#noteState(run);
        await this.#options.record([{ run, next: null, entries }]);
        continue;
      }
      const isLost = run.startedAt !== null && !isRepeatable(job.definition);
      const attempt = run.startedAt === null ? run.attempt : run.attempt + 1;
      const isBlamed = isSuspect && run.startedAt !== null;
      const suspected = isBlamed ? suspicionAfter(run, subjectOf(run) === alone) : suspicionOf(run);
      if ((suspected >= MAX_SUSPICIONS || attempt > MAX_ATTEMPTS) && !isLost) {
        job.parkedFor = run.fireAt;
        this.#tables.noteState(job);
        parked.push({ jobId: job.id, attempts: run.attempt });
        await this.#options.record([{ run, next: null, entries: [parkedEntry(run, by)] }]);
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
      this.#tables.noteState(job);
    }
    this.#tables.onChange();
    return { released, parked };
  }

  /** Its only life is this process. */
  async sweep(): Promise<void> {}

  #end({ run, next, entries }: Completion): void {
    const key = formatRunKey(run);
    const held = this.#runs.get(key)!;
    this.#runs.delete(key);
    const job = this.#tables.jobOf(run);
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
    this.#tables.plan(job, next, next < now ? by : null);
  }

  /** The schedule may have been edited meanwhile: it is its run all the same. */
  #noteState({ triggerId }: Run): void {
    const job = this.#tables.jobByTrigger(triggerId);
    if (job !== undefined) this.#tables.noteState(job);
  }

  #forgetIfFinished(run: Run): void {
    const job = this.#tables.jobOf(run);
    if (job === undefined || job.source === 'file' || job.parkedFor !== null || !job.definition.enabled)
      return;
    const { due, runs } = this.#tables.motionOf(job);
    if (due.length === 0 && runs.length === 0) this.#tables.remove(job);
  }

  #inOrder(left: Due, right: Due): number {
    const priority = ({ triggerId }: Due) =>
      this.#tables.jobByTrigger(triggerId)?.definition.priority ?? NORMAL_PRIORITY;
    return left.dueAt - right.dueAt || priority(right) - priority(left);
  }

  /** The run that it may not run beside. */
  #blockerOf({ triggerId }: Due): Held | undefined {
    const definition = this.#tables.jobByTrigger(triggerId)?.definition;
    const key = definition?.concurrencyKey;
    const excludes = (run: Held) =>
      (run.triggerId === triggerId && definition?.concurrentExecution === false) ||
      (key !== undefined && this.#tables.jobByTrigger(run.triggerId)?.definition.concurrencyKey === key);
    return [...this.#runs.values()].find(excludes);
  }

  #afterBlock(due: Due, other: Held): Due {
    const by = new Date(other.fireAt).toISOString();
    const schedule = this.#tables.jobByTrigger(other.triggerId)?.id;
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

function isHeldBy({ holder }: Held, { nodeId, epoch }: Holder): boolean {
  return holder.nodeId === nodeId && holder.epoch === epoch;
}
