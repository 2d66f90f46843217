import type { Db } from '#database/index.ts';
import { isObject } from '#json/index.ts';
import type { AuditKeys } from './audit-keys.ts';
import { readPrunings } from './pruning-repository.ts';
import { checkEntry } from './stored-entry.ts';

/** How many seals the server has pruned, by the last record that it has signed: any other may be made up. */
export async function countPruned(db: Db, keys: AuditKeys): Promise<number> {
  for await (const record of readPrunings(db)) {
    if (checkEntry(keys, record) === 'right' && isObject(record.event)) {
      return Number(record.event['sealsPruned'] ?? 0);
    }
  }
  return 0;
}
