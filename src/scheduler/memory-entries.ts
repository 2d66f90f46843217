import type { Held, Job } from './memory-job.ts';
import type { LedgerEntry } from './run.ts';

/** A run that was claimed, and whose schedule was parked before it could start. */
export function droppedEntry(
  job: Job,
  run: Held,
  { nodeName, now }: { readonly nodeName: string; readonly now: () => number },
): LedgerEntry {
  return {
    jobId: job.id,
    node: nodeName,
    outcome: 'skipped',
    plannedAt: run.fireAt,
    startedAt: null,
    lateMs: now() - run.fireAt,
    error: null,
    log: null,
    why: 'the schedule was parked before it could fire',
  };
}

/** A run that is given up, because it brought down whoever ran it too often. */
export function parkedEntry(job: Job, run: Held, node: string): LedgerEntry {
  return {
    jobId: job.id,
    node,
    outcome: 'lost',
    plannedAt: run.fireAt,
    startedAt: run.startedAt,
    lateMs: 0,
    error: null,
    log: null,
    why: `parked: its run brought down its thread ${run.attempt} times`,
  };
}
