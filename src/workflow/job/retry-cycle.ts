import { planDuration } from '../engine/index.ts';

const ATTEMPTS = 3;
const DELAY_MS = 10_000;

export interface RetryPlan {
  /** Executions in all. */
  readonly attempts: number;
  /** The pauses between one execution and the next; the last one again and again when there are fewer. */
  readonly pausesMs: readonly number[];
}

/**
 * How often and how soon a failed job is tried again: `R5/PT7M` says both, a duration the pause only, a list of
 * durations each pause, so one attempt more than it has entries. Without one: 3 attempts, 10 s apart.
 */
export function readRetryCycle(text: string | null): RetryPlan {
  const usual = { attempts: ATTEMPTS, pausesMs: [DELAY_MS] };
  if (text === null || text.trim() === '') return usual;
  const cycle = /^R(\d+)\/(P.+)$/.exec(text.trim());
  const pauses = cycle === null ? text.split(',') : [cycle[2]!];
  try {
    const pausesMs = pauses.map((pause) => Math.max(0, planDuration(pause.trim(), 0).dueAt));
    const attempts = cycle !== null ? Number(cycle[1]) : pauses.length > 1 ? pauses.length + 1 : ATTEMPTS;
    return { attempts: Math.max(1, Math.min(attempts, 1_000)), pausesMs };
  } catch {
    return usual;
  }
}
