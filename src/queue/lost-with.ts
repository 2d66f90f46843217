import type { ClaimedJob } from './job.ts';

/** Begins the name of a node that did not end, but was given up because it hung or was cut off. */
export const SILENT = 'the silent ';

/** A job that has ended so many nodes or threads, the last one alone, is given up. */
export const MAX_SUSPICIONS = 3;

/** One more would convict it, which only an end can be that it met alone: it is tried so. */
export function isSuspect({ suspected }: Pick<ClaimedJob, 'suspected'>): boolean {
  return suspected >= MAX_SUSPICIONS - 1;
}

/** What a job is called while it is alone on its node. */
export function subjectOf({ id }: Pick<ClaimedJob, 'id'>): string {
  return `job ${id}`;
}
