import { type DatabaseClock, isPassing } from '#database/index.ts';
import { BystanderError } from '#errors/index.ts';
import { backOff, type Solitude } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import type { Holder } from '#work/index.ts';
import { CompletionBatch } from './completion-batch.ts';
import { type FiringEnd, type FiringResult, isUnreachable } from './fire-trigger.ts';
import type { Firing } from './firing.ts';
import type { JobStore } from './job-store.ts';
import { passedEntries } from './ledger-entry.ts';
import { decideFiring, type FiringDecision, MISFIRE_THRESHOLD_MS } from './misfire.ts';
import type { Release } from './release-repository.ts';
import { formatRunKey, invokerName, type StartedRun, transactionOf } from './run.ts';
import { timingOf } from './schedule.ts';
import type { Tuning } from './tuning.ts';

export interface RunExecutorOptions {
  readonly store: JobStore;
  readonly clock: Pick<DatabaseClock, 'now'>;
  readonly nodeName: string;
  readonly tuning: () => Tuning;
  /** Runs a firing to its end, here or in a script thread. Rejects when its thread died. */
  readonly fire: (firing: Firing, signal: AbortSignal) => Promise<FiringResult>;
  readonly observe: Observe;
  readonly solitude: Solitude;
}

/** Takes one started run through its whole life: decide, fire, complete, say so. */
export class RunExecutor {
  readonly #options: RunExecutorOptions;
  readonly #completions: CompletionBatch;

  constructor(options: RunExecutorOptions) {
    this.#options = options;
    this.#completions = new CompletionBatch(options.store, (error) =>
      options.observe({ kind: 'loop.failed', loop: 'completion of runs', error }),
    );
  }

  /**
   * @param signal aborted when the run belongs to somebody else
   * @returns when its schedule fires next, if that waits now. Never rejects
   */
  async run(run: StartedRun, holder: Holder, signal: AbortSignal): Promise<number | null> {
    const { clock, nodeName, tuning, observe } = this.#options;
    const { dst = 'quartz' } = tuning();
    const startedAt = clock.now();
    try {
      const decision = this.#decide(run, startedAt);
      const invoker = invokerName(run.jobId, decision.scheduledAt);
      const firing = await this.#planEarly({
        run,
        holder,
        nodeName,
        decision,
        dst,
        invoker,
        startedAt,
      });
      const result = await this.#fireUntilKnown(firing, signal);
      if (result === undefined) return clock.now();
      const { entries } = result;
      const isOurs =
        entries === null || (await this.#completions.complete(holder, { run, next: decision.next, entries }));
      this.#say(firing, result, isOurs ? result.end : 'fencedOut');
      return decision.next;
    } catch (error) {
      observe({ kind: 'server.failed', part: `firing of ${run.jobId}`, error });
      // It is tried again, and parked when it fails so each time: left as it is, it would block its schedule.
      await this.#release(holder, { only: run });
      return null;
    }
  }

  #decide(run: StartedRun, now: number): FiringDecision {
    const { observe, tuning } = this.#options;
    const { misfireThresholdMs = MISFIRE_THRESHOLD_MS, dst = 'quartz' } = tuning();
    const decision = decideFiring({
      fireAt: run.fireAt,
      lateFrom: run.lateFrom ?? run.fireAt,
      now,
      policy: run.definition.misfirePolicy,
      coalesce: run.definition.coalesce === true,
      timing: timingOf(run.definition, dst),
      thresholdMs: misfireThresholdMs,
      kind: run.kind,
      nextPlanned: run.nextPlanned,
    });
    const said = { schedule: run.jobId, plannedAt: run.fireAt, lateMs: now - run.fireAt };
    if (decision.kind === 'onTime') observe({ kind: 'trigger.fired', ...said, run: formatRunKey(run) });
    else if (decision.kind !== 'lost') {
      observe({ kind: 'trigger.misfired', ...said, policy: run.definition.misfirePolicy });
    }
    return decision;
  }

  /** Of a concurrent schedule the next firing waits while this one runs; what is let pass is recorded with that. */
  async #planEarly(firing: Firing): Promise<Firing> {
    const { run, holder, decision } = firing;
    const fires = decision.kind === 'onTime' || decision.kind === 'now';
    if (!run.definition.concurrentExecution || run.nextPlanned || decision.next === null || !fires)
      return firing;
    const { next } = decision;
    const passed = passedEntries(firing);
    // Without a database the run waits: it has not begun, so it is neither lost nor to blame.
    await this.#insist(
      'plan of the next firing',
      () => this.#options.store.planNext(holder, run, next, passed),
      isPassing,
    );
    return { ...firing, run: { ...run, nextPlanned: true } };
  }

  /**
   * A database that went away rolled everything back, so the run is done again. A script thread that died leaves
   * the end of its firings open: they are released, as after a lost node.
   *
   * @returns undefined when it was released
   */
  async #fireUntilKnown(firing: Firing, signal: AbortSignal): Promise<FiringResult | undefined> {
    const { fire, observe } = this.#options;
    for (let failures = 1; ; failures++) {
      try {
        return await fire(firing, signal);
      } catch (error) {
        observe({ kind: 'server.failed', part: `firing of ${firing.run.jobId}`, error });
        if (!isUnreachable(error)) {
          const isSuspect = !(error instanceof BystanderError);
          await this.#release(firing.holder, { only: firing.run, isSuspect });
          return undefined;
        }
        await backOff(failures, 50, 2_000);
      }
    }
  }

  async #release(holder: Holder, release: Release): Promise<void> {
    const { store, nodeName, observe, solitude } = this.#options;
    const alone = solitude.subject;
    await this.#insist('release of a run', async () => {
      const { parked } = await store.release(holder, nodeName, { ...release, alone });
      for (const { jobId, attempts } of parked)
        observe({ kind: 'trigger.parked', schedule: jobId, attempts });
    });
  }

  /** Repeats what may be repeated until the database takes it, or fails so that it never will. */
  async #insist(
    what: string,
    act: () => Promise<unknown>,
    isRepeated: (error: unknown) => boolean = () => true,
  ): Promise<void> {
    for (let failures = 1; ; failures++) {
      try {
        await act();
        return;
      } catch (error) {
        this.#options.observe({ kind: 'loop.failed', loop: what, error });
        if (!isRepeated(error)) throw error;
        await backOff(failures, 50, 2_000);
      }
    }
  }

  #say({ run, decision, invoker }: Firing, { ms, error }: FiringResult, end: FiringEnd): void {
    const { observe } = this.#options;
    const said = { schedule: run.jobId, run: formatRunKey(run) };
    switch (end) {
      case 'completed':
        observe({
          kind: 'trigger.completed',
          ...said,
          transaction: transactionOf(run),
          invoker,
          ms,
          next: decision.next,
          level: run.definition.invokeLogLevel,
        });
        break;
      case 'failed':
        observe({
          kind: 'trigger.failed',
          ...said,
          transaction: transactionOf(run),
          invoker,
          ms,
          error: error ?? '',
        });
        break;
      case 'fencedOut':
        observe({ kind: 'trigger.fencedOut', ...said });
        break;
      case 'skipped':
        break;
    }
  }
}
