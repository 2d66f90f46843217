import type { Db } from '#database/index.ts';
import type { AuditKeys } from './audit-keys.ts';
import { findPrunings } from './pruning-repository.ts';
import { checkEntry } from './stored-entry.ts';

/** How many seals the server has pruned, by the last record that it has signed: any other may be made up. */
export async function countPruned(db: Db, keys: AuditKeys): Promise<number> {
  const record = (await findPrunings(db)).find((entry) => checkEntry(keys, entry) === 'right');
  return Number(record?.event?.['sealsPruned'] ?? 0);
}
