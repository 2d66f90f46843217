import type { Holder, Run } from './run.ts';
import type { ScheduleDefinition } from './schedule.ts';

/** A schedule of the store in memory, with its trigger. */
export interface Job {
  readonly triggerId: number;
  readonly id: string;
  readonly source: 'rest' | 'file';
  readonly definition: ScheduleDefinition;
  readonly generation: number;
  paused: boolean;
  /** The planned time of the run for which it was parked. */
  parkedFor: number | null;
  previousRunAt: number | null;
  /** Of its trigger, one of the numbers of `STATE_*`; -1 where it has none. */
  state: number;
  /** The one before the last transition. */
  previousState: number;
}

/** A run that waits until it is due; epoch ms, infinite while its schedule is paused. */
export type Due = Run & { dueAt: number };
/** A run that was claimed. */
export type Held = Run & {
  /** Its schedule may be gone before it has ended. */
  readonly jobId: string;
  readonly holder: Holder;
  readonly claimedAt: number;
  startedAt: number | null;
};

/** A firing of a schedule that nothing has happened to yet. */
export const FRESH_RUN = {
  attempt: 1,
  lateFrom: null,
  nextPlanned: false,
  kind: 'planned',
  cause: null,
} as const;

/** Without what the store adds to it. */
export function toRun({
  triggerId,
  generation,
  fireAt,
  attempt,
  lateFrom,
  nextPlanned,
  kind,
  cause,
}: Run): Run {
  return { triggerId, generation, fireAt, attempt, lateFrom, nextPlanned, kind, cause };
}
