import { lastOf } from '#json/index.ts';
import { nextFiring } from '../schedule/next-firing.ts';
import type { MisfirePolicy, Timing } from '../schedule/schedule.ts';
import type { RunKind } from './run.ts';

/** A firing later than this has misfired. */
export const MISFIRE_THRESHOLD_MS = 10_000;

/** What becomes of a claimed firing, and what comes after it; all times epoch ms. */
export interface FiringDecision {
  /**
   * `onTime`: fires for its planned time. `now`: fires once for all that was missed. `skip`: does not fire.
   * `lost`: was interrupted and must not be done again.
   */
  readonly kind: 'onTime' | 'now' | 'skip' | 'lost';
  /** The scheduled time that the job is told. */
  readonly scheduledAt: number;
  readonly next: number | null;
}

export interface FiringFacts {
  readonly fireAt: number;
  /** Lateness counts from here: the planned time, or the release of a dead node's claim. */
  readonly lateFrom: number;
  /** The time by the database's clock. */
  readonly now: number;
  readonly policy: MisfirePolicy;
  readonly timing: Timing;
  readonly thresholdMs?: number;
  /** What the next time has overtaken has misfired, however little late it is. */
  readonly coalesce?: boolean;
  /** Default: planned. */
  readonly kind?: RunKind;
  /** It had begun and was interrupted, and the next time waits already: it stands for its own planned time alone. */
  readonly nextPlanned?: boolean;
}

/** More missed times than this are counted in the ledger by its last entry only. */
const MAX_MISSED = 100;

/**
 * Below the threshold a late firing is made up for its planned time, and the next one is counted from that time.
 * At the threshold it has misfired: `fireAndProceed` fires once now, however many were missed, `doNothing` waits
 * for the next time of the schedule; a simple trigger that fires once always fires now. Nothing fires after `endTime`.
 */
export function decideFiring(facts: FiringFacts): FiringDecision {
  const { fireAt, lateFrom, now, policy, timing } = facts;
  if (facts.kind === 'manual') return { kind: 'onTime', scheduledAt: fireAt, next: null };
  if (facts.kind === 'lost') return { kind: 'lost', scheduledAt: fireAt, next: nextFiring(timing, fireAt) };
  const late = now - lateFrom;
  const following = nextFiring(timing, fireAt);
  const isOvertaken = facts.coalesce === true && following !== null && following <= now;
  if (late < (facts.thresholdMs ?? MISFIRE_THRESHOLD_MS) && !isOvertaken) {
    return { kind: 'onTime', scheduledAt: fireAt, next: following };
  }
  const at = Math.floor(now);
  const next = nextFiring(timing, at);
  const firesOnce = timing.cron === null && timing.repetition === null;
  const over = timing.endAt !== null && at > timing.endAt;
  if (!over && (firesOnce || policy === 'fireAndProceed')) {
    // Several of one schedule may begin again in the same millisecond.
    if (facts.nextPlanned === true) return { kind: 'onTime', scheduledAt: fireAt, next };
    return { kind: 'now', scheduledAt: at, next };
  }
  return { kind: 'skip', scheduledAt: fireAt, next };
}

/** The planned times that a misfire takes the place of, from its own one on, before `until`; at most a hundred. */
export function missedTimes(
  timing: Timing,
  fireAt: number,
  until: number,
): { times: number[]; more: boolean } {
  const times = [fireAt];
  for (;;) {
    const next = nextFiring(timing, lastOf(times));
    if (next === null || next >= until) return { times, more: false };
    if (times.length === MAX_MISSED) return { times, more: true };
    times.push(next);
  }
}
