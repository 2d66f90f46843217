import type { AuditConfig, PlannedEffect } from '#config/index.ts';
import type { Db } from '#database/index.ts';
import { countBefore } from './pruning-repository.ts';

const DAY_MS = 86_400_000;
const MOST_COUNTED = 100_000;

/** Tells which entries of the trail a shorter `keepDays` would end. */
export async function planAudit(
  db: Db,
  previous: AuditConfig | undefined,
  current: AuditConfig | undefined,
): Promise<readonly PlannedEffect[]> {
  if (previous === undefined || current === undefined || current.keepDays >= previous.keepDays) return [];
  const before = new Date(Date.now() - current.keepDays * DAY_MS);
  const count = await countBefore(db, before, MOST_COUNTED);
  if (count === 0) return [];
  const many = count === MOST_COUNTED ? `${count} or more entries` : `${count} entries`;
  return [
    {
      kind: 'audit.ended',
      before: before.toISOString(),
      count,
      text: `${many} from before ${before.toISOString()} are dropped, month by month`,
    },
  ];
}
