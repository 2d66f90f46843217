import { userInfo } from 'node:os';
import type { KeyRingText } from '#crypto/index.ts';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { auditEvent } from './audit-event.ts';
import { AuditKeys } from './audit-keys.ts';
import { insertEntries } from './audit-repository.ts';
import { entrySigner } from './signed-entry.ts';

const NODE = 'svc import';

/**
 * What an import has brought, in one entry under `config`: its objects have none of their own. Signed with the ring of whoever runs
 * it, as whom the machine knows that person.
 */
export async function recordImport(
  db: Db,
  ring: KeyRingText,
  operation: 'IMPORT' | 'IMPORT_FINISH' | 'IMPORT_UNDO',
  facts: JsonObject,
): Promise<void> {
  const who = { transactionId: NODE, userId: userInfo().username };
  const event = auditEvent('config', who, { runAs: NODE, operation, ...facts }, 'import');
  await insertEntries(db, [entrySigner(new AuditKeys(ring), NODE)(event)]);
}
