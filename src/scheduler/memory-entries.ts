import type { Held, Job } from './memory-job.ts';
import type { LedgerEntry } from './run.ts';
import { withdrawnBecause, withdrawnOutcome } from './withdrawn-firing.ts';

/** A run that was claimed, and whose schedule was parked before it could start. */
export function droppedEntry(
  job: Job,
  run: Held,
  { nodeName, now }: { readonly nodeName: string; readonly now: () => number },
): LedgerEntry {
  return {
    jobId: job.id,
    node: nodeName,
    outcome: withdrawnOutcome(run.kind),
    plannedAt: run.fireAt,
    startedAt: null,
    lateMs: now() - run.fireAt,
    error: null,
    log: null,
    why: withdrawnBecause('parked'),
  };
}

/** A run that was interrupted, and whose schedule is not what it was when it began. */
export function outdatedEntry(run: Held, node: string, was: 'edited' | 'deleted'): LedgerEntry {
  return lostEntry(
    run,
    node,
    `node ${node} was lost while it ran, and the schedule had been ${was} meanwhile`,
  );
}

/** A run that is given up, because it brought down whoever ran it too often. */
export function parkedEntry(run: Held, node: string): LedgerEntry {
  return lostEntry(run, node, `parked: its run brought down its thread ${run.attempt} times`);
}

function lostEntry(run: Held, node: string, why: string): LedgerEntry {
  return {
    jobId: run.jobId,
    node,
    outcome: 'lost',
    plannedAt: run.fireAt,
    startedAt: run.startedAt,
    lateMs: 0,
    error: null,
    log: null,
    why,
  };
}
