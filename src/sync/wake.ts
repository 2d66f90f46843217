import type { UnitOfWork } from '#database/index.ts';
import type { Mapping } from './mapping.ts';
import type { SyncPlatform } from './stage.ts';

/** The queue whose jobs deliver what is in the outbox. */
export const SYNC_QUEUE = 'sync';

/** Enqueues a job that looks what is due of a mapping. @param lane from 1: it helps another one, and calls nobody itself */
export async function wake(
  { queue, clock }: SyncPlatform,
  unitOfWork: UnitOfWork,
  { name }: Pick<Mapping, 'name'>,
  inMs: number,
  lane = 0,
): Promise<void> {
  const data = { mapping: name, ...(lane === 0 ? {} : { lane }) };
  const startAt = inMs === 0 ? {} : { startAt: Math.ceil(clock.now() + inMs) };
  await queue.enqueue(unitOfWork, { queue: SYNC_QUEUE, data, ...startAt });
}
