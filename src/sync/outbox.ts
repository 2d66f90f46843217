import { type Database, runUnitOfWork, type UnitOfWork } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { WriteContext } from '#resource/index.ts';
import type { Mapping } from './mapping.ts';
import { listOverdue, putInOutbox, takingFromOutbox } from './outbox-repository.ts';
import type { Stage, SyncPlatform } from './stage.ts';
import { keptError } from './sync-record.ts';

/** The queue whose jobs deliver what is in the outbox. */
export const SYNC_QUEUE = 'sync';

/** How often a delivery is tried, and how long it waits at first; each pause is twice as long as the one before. */
const MOST_ATTEMPTS = 5;
const FIRST_PAUSE_MS = 10_000;

/** Objects whose targets follow in the unit of work of their change; those of others wait for their turn. */
const MOST_INSIDE = 200;

/** After that nobody is waited for any more. */
const OVERDUE_MS = 30_000;

/** How many objects have been delivered in a unit of work. */
const delivered = new WeakMap<UnitOfWork, number>();

/** Whether there is room for another one. */
export function takesInside({ unitOfWork }: WriteContext): boolean {
  const count = (delivered.get(unitOfWork) ?? 0) + 1;
  delivered.set(unitOfWork, count);
  return count <= MOST_INSIDE;
}

/** Leaves a delivery to a job, soon after the commit. */
export async function putOff(
  { platform, context, mapping }: Stage,
  sourceId: string,
  oldSource: JsonObject | null,
): Promise<void> {
  const { unitOfWork } = context;
  await putInOutbox(await unitOfWork.db(), {
    mapping: mapping.name,
    source_id: sourceId,
    old_value: await sealed(platform, oldSource),
    attempt: 0,
    delayMs: 0,
    is_dead: false,
    error: null,
  });
  await wake(platform, unitOfWork, mapping, 0);
}

/**
 * Has a delivery tried again that has failed, a few times.
 *
 * @param oldSource what the source was, where it is gone: a target may be found by that alone
 * @param failures how often it has failed
 */
export async function tryAgain(
  { platform, context, mapping }: Stage,
  { sourceId, oldSource }: { readonly sourceId: string; readonly oldSource: JsonObject | null },
  failures: number,
  error: unknown,
): Promise<void> {
  const { unitOfWork } = context;
  const isDead = failures >= MOST_ATTEMPTS;
  const delayMs = FIRST_PAUSE_MS * 2 ** (failures - 1);
  await putInOutbox(await unitOfWork.db(), {
    mapping: mapping.name,
    source_id: sourceId,
    old_value: await sealed(platform, oldSource),
    attempt: failures,
    delayMs,
    is_dead: isDead,
    error: keptError(error),
  });
  if (!isDead) await wake(platform, unitOfWork, mapping, delayMs);
}

/** Nothing is left to be done about it. */
export async function takeOut({ context, mapping }: Stage, sourceId: string): Promise<void> {
  await context.unitOfWork.hold({ statement: takingFromOutbox(mapping.name, sourceId) });
}

/** Enqueues a job that looks what is due of a mapping. */
export async function wake(
  { queue, clock }: SyncPlatform,
  unitOfWork: UnitOfWork,
  { name }: Pick<Mapping, 'name'>,
  inMs: number,
): Promise<void> {
  const startAt = inMs === 0 ? {} : { startAt: Math.ceil(clock.now() + inMs) };
  await queue.enqueue(unitOfWork, { queue: SYNC_QUEUE, data: { mapping: name }, ...startAt });
}

/** Of mappings of which something has been due for long: no job has come for it. */
export async function wakeOverdue(platform: SyncPlatform & { readonly database: Database }): Promise<void> {
  const { database, mappings } = platform;
  const found = await listOverdue(database.db, OVERDUE_MS);
  const overdue = found.filter((name) => mappings.named(name) !== undefined);
  if (overdue.length === 0) return;
  await runUnitOfWork(database, {}, async (unitOfWork) => {
    for (const name of overdue) await wake(platform, unitOfWork, { name }, 0);
  });
}

async function sealed({ crypto }: SyncPlatform, oldSource: JsonObject | null): Promise<JsonObject | null> {
  return oldSource === null ? null : crypto.encrypt(oldSource, null, null);
}
