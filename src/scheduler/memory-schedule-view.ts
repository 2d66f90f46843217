import type { JsonObject } from '#json/index.ts';
import type { Due, Held, Job } from './memory-job.ts';
import type { MemorySchedule } from './memory-schedules.ts';
import { formatRunKey } from './run.ts';

interface Motion {
  /** Of this schedule. */
  readonly runs: readonly Held[];
  readonly due: readonly Due[];
}

/** What `/scheduler` shows of a schedule in memory: the same as of one in the database. */
export function showSchedule(job: Job, { runs, due }: Motion, nodeName: string): MemorySchedule {
  const waiting = due.filter(({ kind }) => kind === 'planned');
  const next = waiting.length === 0 ? null : Math.min(...waiting.map(({ fireAt }) => fireAt));
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
    trigger:
      job.state === -1
        ? null
        : {
            serialized: JSON.stringify(serialized),
            name: job.id,
            group: 'scheduler-service-group',
            previous_state: job.previousState,
            state: job.state,
            acquired: runs.length > 0,
            nodeId: runs.length > 0 ? nodeName : null,
          },
    nextRunAt: next,
    previousRunAt: job.previousRunAt,
    running: runs.flatMap(({ startedAt, ...run }) =>
      startedAt === null ? [] : { key: formatRunKey(run), fireAt: run.fireAt, startedAt },
    ),
  };
}

interface Moment extends Motion {
  /** All schedules are. */
  readonly isPaused: boolean;
}

/** One of the numbers of `STATE_*`, by the rules of `svc_trigger`; -1 for a disabled schedule that does not run. */
export function stateOf(job: Job, { runs, due, isPaused }: Moment): number {
  const isRunning = runs.some(({ startedAt }) => startedAt !== null);
  if (!job.definition.enabled && !isRunning) return -1;
  if (job.parkedFor !== null) return 3;
  if (isRunning && !job.definition.concurrentExecution) return 4;
  if (isPaused || job.paused) return 1;
  return runs.length === 0 && !due.some(({ kind }) => kind === 'planned') ? 2 : 0;
}
