import { LOCK, tryLockNamed, type UnitOfWork } from '#database/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';
import type { JobHandler } from '#queue/index.ts';
import { systemContext } from '#resource/index.ts';
import { deliverSource } from './deliver-source.ts';
import type { Mapping } from './mapping.ts';
import { wake } from './outbox.ts';
import { claimDue, hasDue, type OutboxRow } from './outbox-repository.ts';
import type { SyncPlatform } from './stage.ts';

/** Deliveries of one unit of work. */
const PAGE = 50;

/**
 * Delivers what is due of a mapping, a page of it in one unit of work with the end of the job. The rows are the truth: a job that
 * finds none does nothing.
 */
export function outboxJobs(platform: SyncPlatform): JobHandler {
  return {
    async run(unitOfWork, { data }) {
      const name = String(data['mapping']);
      const mapping = platform.mappings.named(name);
      // Another node may know it already, or still: what waits stays until one does.
      if (mapping === undefined) return;
      const db = await unitOfWork.db();
      const rows = await claimDue(db, name, PAGE);
      for (const row of rows) await deliverRow(platform, unitOfWork, mapping, row);
      if (rows.length > 0 && (await hasDue(db, name))) await wake(platform, unitOfWork, mapping, 0);
    },
    groupOf: ({ data }) => String(data['mapping']),
  };
}

/** Whoever delivers the same at this moment makes this one superfluous, or leaves the row for the next round. */
async function deliverRow(
  platform: SyncPlatform,
  unitOfWork: UnitOfWork,
  mapping: Mapping,
  row: OutboxRow,
): Promise<void> {
  const { source_id: id, attempt } = row;
  if (!(await tryLockNamed(await unitOfWork.db(), LOCK.deliveryOf(mapping.name, id)))) return;
  const oldSource = await opened(platform, row);
  const context = { ...systemContext(), unitOfWork };
  await deliverSource(platform, context, mapping, { id, oldSource, failures: attempt });
}

async function opened({ crypto }: SyncPlatform, { old_value }: OutboxRow): Promise<JsonObject | null> {
  if (old_value === null) return null;
  const plain = await crypto.decrypt(old_value);
  return isObject(plain) ? plain : null;
}
