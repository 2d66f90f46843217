import { hash } from 'node:crypto';
import { PreconditionFailedError } from '#errors/index.ts';
import { withoutAnchor } from './next-firing.ts';
import type { ScheduleDefinition } from './schedule.ts';

/**
 * The revision of a schedule as it is stored, in the database's order of members; firing, pausing and parking do not
 * change it.
 */
export function scheduleRevision(stored: ScheduleDefinition): string {
  return hash('sha256', JSON.stringify(withoutAnchor(stored))).slice(0, 16);
}

/** @param revision null for any */
export function requireRevision(
  { id, definition }: { readonly id: string; readonly definition: ScheduleDefinition },
  revision: string | null,
): void {
  const current = scheduleRevision(definition);
  if (revision === null || revision === current) return;
  throw new PreconditionFailedError(
    `Revision '${revision}' of 'scheduler/job/${id}' is not the current one`,
    {
      id: 'OBJECT_REVISION',
      hint: `Read it again: it is at revision '${current}' now`,
      detail: { revision: current },
    },
  );
}
