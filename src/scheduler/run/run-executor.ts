import { type DatabaseClock, isPassing } from '#database/index.ts';
import { backOff, type Quarantine } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import { type Holder, insist, mayBeWhy, type Seat } from '#work/index.ts';
import { type FiringEnd, type FiringResult, isUnreachable } from '../fire/fire-trigger.ts';
import type { Firing } from '../fire/firing.ts';
import type { ShortFirings } from '../fire/short-firings.ts';
import { timingOf } from '../schedule/schedule.ts';
import type { JobStore } from '../store/job-store.ts';
import type { Release } from '../store/release-repository.ts';
import type { ClaimedFiring } from './claimed-firing.ts';
import { CompletionBatch } from './completion-batch.ts';
import { passedEntries } from './ledger-entry.ts';
import { decideFiring, type FiringDecision, MISFIRE_THRESHOLD_MS } from './misfire.ts';
import { formatRunKey, invokerName, type StartedRun, transactionOf } from './run.ts';
import type { Tuning } from './tuning.ts';

export interface RunExecutorOptions {
  readonly store: JobStore;
  readonly clock: Pick<DatabaseClock, 'now'>;
  readonly nodeName: string;
  /** The tuning as it is now: it may change while the node runs. */
  readonly tuning: () => Tuning;
  /** Runs a firing to its end, here or in a script thread. Rejects when its thread died. */
  readonly fire: (firing: Firing, signal: AbortSignal) => Promise<FiringResult>;
  /** As `fire`, for several one after the other; null for one that has to be fired again. Default: each goes alone. */
  readonly fireTogether?: (
    firings: readonly Firing[],
    signal: AbortSignal,
  ) => Promise<readonly (FiringResult | null)[]>;
  readonly observe: Observe;
  readonly quarantine: Quarantine;
  readonly short: ShortFirings;
  /** When a schedule fires next that waits now. */
  readonly planned: (at: number) => void;
}

/** Takes started firings through their whole lives: decide, fire, complete, say so. */
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
   * Never rejects.
   *
   * @returns false where something was given back, or has made room for what waits for its service
   */
  async run(unit: readonly ClaimedFiring[], seat: Seat): Promise<boolean> {
    const planned = await Promise.all(unit.map((claimed) => this.#plan(claimed)));
    const firings = planned.filter((firing) => firing !== undefined);
    const results = await this.#fire(firings, seat.signal);
    seat.leave();
    const ended = await Promise.all(firings.map((firing, index) => this.#complete(firing, results[index])));
    return firings.length === unit.length && !ended.includes(false);
  }

  /** What fails so is given back, and parked when it fails so each time: left as it is, it would block its schedule. */
  #plan({ started, holder }: ClaimedFiring): Firing | Promise<Firing | undefined> {
    const run = started!;
    try {
      const { clock, nodeName, tuning } = this.#options;
      const { dst = 'quartz' } = tuning();
      const startedAt = clock.now();
      const decision = this.#decide(run, startedAt);
      const invoker = invokerName(run.jobId, decision.scheduledAt);
      const firing: Firing = { run, holder, nodeName, decision, dst, invoker, startedAt };
      if (!plansNextFirst(firing)) return firing;
      return this.#planNext(firing).catch((error) => this.#giveBack(firing, error));
    } catch (error) {
      return this.#giveBack({ run, holder }, error);
    }
  }

  async #complete(firing: Firing, result: FiringResult | undefined): Promise<boolean> {
    if (result === undefined) return false;
    const { holder, run, decision } = firing;
    const { entries } = result;
    const { short, planned, tuning } = this.#options;
    short.note(run, result);
    try {
      const isOurs =
        entries === null || (await this.#completions.complete(holder, { run, next: decision.next, entries }));
      this.#say(firing, result, isOurs ? result.end : 'fencedOut');
    } catch (error) {
      await this.#giveBack(firing, error);
      return false;
    }
    if (decision.next !== null) planned(decision.next);
    return tuning().serviceThreads?.has(run.definition.invokeService) !== true;
  }

  async #giveBack({ run, holder }: Pick<Firing, 'run' | 'holder'>, error: unknown): Promise<undefined> {
    this.#options.observe({ kind: 'server.failed', part: `firing of ${run.jobId}`, error });
    await this.#release(holder, { only: run });
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

  /** The next firing of a concurrent schedule waits while this one runs; firings that are let pass are recorded with it. */
  async #planNext(firing: Firing): Promise<Firing> {
    const { run, holder, decision } = firing;
    const passed = passedEntries(firing);
    // Without a database the run waits: it has not begun, so it is neither lost nor to blame.
    await this.#insist(
      'plan of the next firing',
      () => this.#options.store.planNext(holder, run, decision.next!, passed),
      isPassing,
    );
    return { ...firing, run: { ...run, nextPlanned: true } };
  }

  /** @returns their results in this order; undefined for those that were released */
  async #fire(
    firings: readonly Firing[],
    signal: AbortSignal,
  ): Promise<readonly (FiringResult | undefined)[]> {
    const { fireTogether } = this.#options;
    let together: readonly (FiringResult | null)[] | 'released' | undefined;
    if (firings.length > 1 && fireTogether !== undefined)
      together = await this.#fireOnce(firings, () => fireTogether(firings, signal));
    if (together === 'released') return [];
    const results: (FiringResult | undefined)[] = [];
    for (const [index, firing] of firings.entries())
      results.push(together?.[index] ?? (await this.#fireUntilKnown(firing, signal)));
    return results;
  }

  /** A database that went away rolled everything back, so the run is done again. @returns undefined when it was released */
  async #fireUntilKnown(firing: Firing, signal: AbortSignal): Promise<FiringResult | undefined> {
    for (let failures = 1; ; failures++) {
      const result = await this.#fireOnce([firing], () => this.#options.fire(firing, signal));
      if (result === 'released') return undefined;
      if (result !== undefined) return result;
      await backOff(failures, 50, 2_000);
    }
  }

  /**
   * A script thread that died leaves the end of its firings open: they are released, as after a lost node.
   *
   * @returns undefined when they are to be fired again
   */
  async #fireOnce<T>(
    firings: readonly Firing[],
    fire: () => Promise<T>,
  ): Promise<T | undefined | 'released'> {
    try {
      return await fire();
    } catch (error) {
      for (const { run } of firings)
        this.#options.observe({ kind: 'server.failed', part: `firing of ${run.jobId}`, error });
      if (isUnreachable(error)) return undefined;
      const isSuspect = mayBeWhy(error);
      await Promise.all(firings.map(({ holder, run }) => this.#release(holder, { only: run, isSuspect })));
      return 'released';
    }
  }

  async #release(holder: Holder, release: Release): Promise<void> {
    const { store, nodeName, observe, quarantine } = this.#options;
    const alone = quarantine.subject;
    await this.#insist('release of a run', async () => {
      const { parked } = await store.release(holder, nodeName, { ...release, alone });
      for (const { jobId, attempts } of parked)
        observe({ kind: 'trigger.parked', schedule: jobId, attempts });
    });
  }

  /** Repeats what may be repeated until the database takes it, or fails so that it never will. */
  #insist<T>(loop: string, act: () => Promise<T>, mayRepeat?: (error: unknown) => boolean): Promise<T> {
    const failed = (error: unknown) => this.#options.observe({ kind: 'loop.failed', loop, error });
    return insist(act, { failed, ...(mayRepeat === undefined ? {} : { mayRepeat }) });
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

/** What comes after it waits while it runs. */
function plansNextFirst({ run, decision }: Firing): boolean {
  const fires = decision.kind === 'onTime' || decision.kind === 'now';
  return run.definition.concurrentExecution && !run.nextPlanned && decision.next !== null && fires;
}
