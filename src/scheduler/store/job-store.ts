import type { Db } from '#database/index.ts';
import type { Holder } from '#work/index.ts';
import {
  type Completion,
  formatRunKey,
  type LedgerEntry,
  type Run,
  type RunKey,
  type StartedRun,
} from '../run/run.ts';
import { type ClaimOptions, claimDue } from './claim-repository.ts';
import { completeRuns } from './completion-repository.ts';
import { RareConflict } from './rare-conflict-repository.ts';
import {
  endLife,
  forgetRemoved,
  handBack,
  listOrphanedLives,
  type Release,
  releaseRuns,
  removeFinished,
  type Unexecuted,
  wakeResumed,
} from './release-repository.ts';
import { findFate } from './run-repository.ts';
import { planNext, startRuns } from './start-repository.ts';

interface Sessions {
  readonly lookups?: Db;
  readonly claims?: Db;
}

/**
 * What fires schedules needs to know of where they are kept: each due firing is claimed once, started once by its
 * holder, and completed once.
 *
 * @param lookups sessions that keep plans, for what is asked again and again
 * @param claims as `lookups`, and what is committed there a crash of Postgres may forget
 */
export function jobStore(db: Db, { lookups = db, claims = lookups }: Sessions = {}) {
  const [claiming, completing] = [new RareConflict(), new RareConflict()];
  return {
    // With limits for services a claim looks through all that is due.
    claim: (options: ClaimOptions) =>
      claiming.meet((onConflict) =>
        claimDue(options.serviceRoom === undefined ? claims : db, { ...options, onConflict }),
      ),
    /** Starts those of the claimed runs that may start: of the schedule as it is now, not paused, not parked. */
    async start(holder: Holder, keys: readonly (RunKey & Pick<Run, 'slot'>)[]): Promise<StartedRun[]> {
      const started = await startRuns(claims, holder, keys, { mayForget: true });
      if (started.length === keys.length) return started;
      // What runs outside a unit of work leaves effects that no crash takes back: its start waits for the disk.
      const names = new Set(started.map(formatRunKey));
      const left = keys.filter((key) => !names.has(formatRunKey(key)));
      return [...started, ...(await startRuns(lookups, holder, left))];
    },
    /** Lets the next firing of a concurrent schedule wait while this run goes on, and records what is let pass by that. */
    planNext: (holder: Holder, run: Run, next: number, passed: readonly LedgerEntry[]) =>
      planNext(lookups, holder, run, next, passed),
    /** Ends runs that left no effects, or whose effects stand. @returns the keys of those that were the holder's */
    complete: (holder: Holder, ended: readonly Completion[]): Promise<ReadonlySet<string>> =>
      completing.meet((onConflict) => completeRuns(lookups, holder, ended, onConflict)),
    /** How a run ended whose completion was sent and not answered. */
    findFate: (holder: Holder, completion: Completion) => findFate(db, holder, completion),
    /** Gives back what the holder has not executed. */
    handBack: (holder: Holder, which?: Unexecuted) => handBack(db, holder, which),
    /** Gives back one run of the holder, or all that it has, as after its death. */
    release: (holder: Holder, by: string, release?: Release) => releaseRuns(db, holder, by, release),
    /** Gives back all that the holder has, and forgets what was in its memory. */
    endLife: (holder: Holder, by: string) => endLife(db, holder, by, { isSuspect: false }),
    /** From time to time: ends what lives that are over have left behind. */
    async sweep(holder: Holder, by: string): Promise<void> {
      for (const life of await listOrphanedLives(db)) await endLife(db, life, by, { isSuspect: false });
      await wakeResumed(db, holder);
      await forgetRemoved(db);
      await removeFinished(db);
    },
  };
}

export type JobStore = ReturnType<typeof jobStore>;
