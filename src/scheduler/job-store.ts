import type { Db } from '#database/index.ts';
import { type Claim, type ClaimOptions, claimDue } from './claim-repository.ts';
import { completeRuns } from './completion-repository.ts';
import {
  forgetRemoved,
  handBack,
  listOrphanedLives,
  type Release,
  type Released,
  releaseRuns,
  removeFinished,
  wakeResumed,
} from './release-repository.ts';
import type { Completion, Holder, LedgerEntry, Run, RunKey, StartedRun } from './run.ts';
import { findFate, listHeld } from './run-repository.ts';
import { planNext, startRuns } from './start-repository.ts';

/**
 * What fires schedules needs to know of where they are kept. Two implementations, one contract suite: each due
 * firing is claimed once, started once by its holder, and completed once.
 */
export interface JobStore {
  readonly kind: 'persistent' | 'memory';
  claim(options: ClaimOptions): Promise<Claim>;
  /** Of those claimed, those that may start: of the schedule as it is now, not paused, not parked. */
  start(holder: Holder, keys: readonly RunKey[]): Promise<StartedRun[]>;
  /** Lets the next firing of a concurrent schedule wait while this run goes on, and records what is let pass by that. */
  planNext(holder: Holder, run: Run, next: number, passed: readonly LedgerEntry[]): Promise<void>;
  /** Ends runs that left no effects, or whose effects stand. @returns the keys of those that were the holder's */
  complete(holder: Holder, completions: readonly Completion[]): Promise<ReadonlySet<string>>;
  /** How a run ended whose completion was sent and not answered. */
  findFate(holder: Holder, completion: Completion): Promise<'open' | 'completed' | 'lost'>;
  /** All that the holder has, started or not. */
  listHeld(holder: Holder): Promise<readonly Run[]>;
  /** Gives back what the holder has not started; not these, which wait to be alone. */
  handBack(holder: Holder, except?: readonly Run[]): Promise<number>;
  /** Gives back all that the holder has, or one run of it, as after its death. */
  release(holder: Holder, by: string, release?: Release): Promise<Released>;
  /** From time to time: gives back what lives that are over have left behind. */
  sweep(by: string): Promise<void>;
}

/**
 * Schedules that all nodes share, in Postgres.
 *
 * @param lookups sessions that keep plans, for what is asked again and again
 */
export function persistentJobStore(db: Db, lookups: Db = db): JobStore {
  return {
    kind: 'persistent',
    // With limits for services a claim looks through all that is due.
    claim: (options) => claimDue(options.serviceRoom === undefined ? lookups : db, options),
    start: (holder, keys) => startRuns(lookups, holder, keys),
    planNext: (holder, run, next, passed) => planNext(lookups, holder, run, next, passed),
    complete: (holder, completions) => completeRuns(lookups, holder, completions),
    findFate: (holder, completion) => findFate(db, holder, completion),
    listHeld: (holder) => listHeld(db, holder),
    handBack: (holder, except) => handBack(db, holder, except),
    release: (holder, by, release) => releaseRuns(db, holder, by, release),
    async sweep(by) {
      for (const life of await listOrphanedLives(db)) await releaseRuns(db, life, by, { isSuspect: false });
      await wakeResumed(db);
      await forgetRemoved(db);
      await removeFinished(db);
    },
  };
}
