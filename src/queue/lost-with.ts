import { MAX_SUSPICIONS } from '#lifecycle/index.ts';
import type { ClaimedJob } from './job.ts';

/** Begins the name of a node that did not end, but was given up because it hung or was cut off. */
export const SILENT = 'the silent ';

/** One more would convict it, which only an end can be that it met alone: it is tried so. */
export function isSuspect({ suspected }: Pick<ClaimedJob, 'suspected'>): boolean {
  return suspected >= MAX_SUSPICIONS - 1;
}

/** What a job is called while it is alone on its node. */
export function subjectOf({ id }: Pick<ClaimedJob, 'id'>): string {
  return `job ${id}`;
}
