import type { JsonObject } from '#json/index.ts';
import type { Due, Held, Job } from './memory-job.ts';
import type { MemorySchedule } from './memory-schedules.ts';
import { formatRunKey } from './run.ts';

interface Surroundings {
  /** Of this schedule. */
  readonly runs: readonly Held[];
  readonly due: readonly Due[];
  readonly nodeName: string;
  /** All schedules are. */
  readonly isPaused: boolean;
}

/** What `/scheduler` shows of a schedule in memory: the same as of one in the database. */
export function showSchedule(job: Job, { runs, due, nodeName, isPaused }: Surroundings): MemorySchedule {
  const waiting = due.filter(({ kind }) => kind === 'planned');
  const next = waiting.length === 0 ? null : Math.min(...waiting.map(({ fireAt }) => fireAt));
  const state = stateOf(job, { isRunning: runs.length > 0, isPaused, next });
  const serialized: JsonObject = {
    version: 1,
    jobId: job.id,
    generation: job.generation,
    nextFireTime: next,
  };
  return {
    id: job.id,
    source: job.source,
    generation: job.generation,
    definition: job.definition,
    trigger: job.definition.enabled
      ? {
          serialized: JSON.stringify(serialized),
          name: job.id,
          group: 'scheduler-service-group',
          previous_state: state === 0 ? -1 : 0,
          state,
          acquired: runs.length > 0,
          nodeId: nodeName,
        }
      : null,
    nextRunAt: next,
    previousRunAt: job.previousRunAt,
    running: runs.flatMap(({ startedAt, ...run }) =>
      startedAt === null ? [] : { key: formatRunKey(run), fireAt: run.fireAt, startedAt },
    ),
  };
}

interface Moment {
  readonly isRunning: boolean;
  readonly isPaused: boolean;
  readonly next: number | null;
}

/** One of the numbers of `STATE_*`. */
function stateOf(job: Job, { isRunning, isPaused, next }: Moment): number {
  if (job.parkedFor !== null) return 3;
  if (isRunning && !job.definition.concurrentExecution) return 4;
  if (isPaused || job.paused) return 1;
  return next === null && !isRunning ? 2 : 0;
}
