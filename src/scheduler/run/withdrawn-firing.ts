import type { DaylightSaving } from '#cron/index.ts';
import { nextFiring } from '../schedule/next-firing.ts';
import { type ScheduleDefinition, timingOf } from '../schedule/schedule.ts';
import { missedTimes } from './misfire.ts';
import type { LedgerEntry, RunKind } from './run.ts';

/** What became of a schedule before a firing of it could begin. */
type Withdrawn = 'edited' | 'deleted' | 'parked';

/** A firing of a schedule that was edited or removed. */
export interface WithdrawnFiring {
  /** Epoch ms. */
  readonly fireAt: number;
  readonly kind: RunKind;
  readonly nextPlanned: boolean;
  /** It goes on, or has ended; only what would have come after it was taken back. */
  readonly isBegun: boolean;
  /** The schedule was parked for it: that is why nothing came after it. */
  readonly isParked?: boolean;
}

export interface Withdrawal {
  readonly jobId: string;
  /** The definition as it was before. */
  readonly definition: ScheduleDefinition;
  readonly dst?: DaylightSaving;
  /** Where it was edited or removed. */
  readonly nodeName: string;
  /** Epoch ms by the database's clock. */
  readonly now: number;
  readonly because: Exclude<Withdrawn, 'parked'>;
}

/** What had been interrupted, and was only to be recorded as lost, is lost. */
export function withdrawnOutcome(kind: RunKind): LedgerEntry['outcome'] {
  return kind === 'lost' ? 'lost' : 'skipped';
}

export function withdrawnBecause(was: Withdrawn): string {
  return `the schedule was ${was} before it could fire`;
}

/** What a parked schedule let pass comes after the run for which it was parked. */
export function parkedFiring(fireAt: number): WithdrawnFiring {
  return { fireAt, kind: 'planned', nextPlanned: false, isBegun: true, isParked: true };
}

/** The entries of times that had come and will not fire any more. What was planned for later is not recorded. */
export function withdrawnEntries(
  { jobId, definition, dst, nodeName, now, because }: Withdrawal,
  firings: readonly WithdrawnFiring[],
): LedgerEntry[] {
  const timing = timingOf(definition, dst);
  const begun = new Set(firings.filter(({ isBegun }) => isBegun).map(({ fireAt }) => fireAt));
  const entry = (plannedAt: number, kind: RunKind, was: Withdrawn, more = false): LedgerEntry => ({
    jobId,
    node: nodeName,
    outcome: withdrawnOutcome(kind),
    plannedAt,
    startedAt: null,
    lateMs: now - plannedAt,
    error: null,
    log: null,
    why: `${withdrawnBecause(was)}${more ? '; further missed times are not listed' : ''}`,
  });
  return firings.flatMap(({ fireAt, kind, nextPlanned, isBegun, isParked = false }) => {
    const isLast = nextPlanned || kind === 'manual';
    const first = isBegun ? (isLast ? null : nextFiring(timing, fireAt)) : fireAt;
    if (first === null || first > now) return [];
    const was: Withdrawn = isParked ? 'parked' : because;
    if (isLast) return [entry(first, kind, was)];
    const { times, more } = missedTimes(timing, first, Math.floor(now) + 1);
    return times
      .filter((at) => !begun.has(at))
      .map((at, n) => entry(at, at === fireAt ? kind : 'planned', was, more && n === times.length - 1));
  });
}
