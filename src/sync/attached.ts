import { LOCK, runUnitOfWork, tryLockNamed } from '#database/index.ts';
import type { WriteContext } from '#resource/index.ts';
import { type Attached, attachedEnds, listAttached, takeAttached } from './attached-repository.ts';
import { requireSurvivable } from './deliver.ts';
import { findPair } from './linked-pair.ts';
import { putAgain } from './outbox-repository.ts';
import { deleteOutside, isOutside } from './outside.ts';
import { forgetSecrets, listMade } from './outside-repository.ts';
import type { Stage, StoringPlatform } from './stage.ts';
import { wake } from './wake.ts';

const MOST_AT_ONCE = 200;
/** For so long a unit of work may wait for another system. */
const LONGEST_MS = 10_000;

/** The context of what a unit of work asks of another system before it has ended. */
export function inTime(context: WriteContext): WriteContext {
  const end = AbortSignal.timeout(LONGEST_MS);
  return { ...context, signal: context.signal === undefined ? end : AbortSignal.any([context.signal, end]) };
}

/** What was asked there is stored here, with the commit, or is in the queue. */
export function endAttached({ context, mapping }: Stage, sourceId: string): void {
  context.unitOfWork.writeAtCommit(attachedEnds, [{ mapping: mapping.name, source_id: sourceId }]);
}

/**
 * Has delivered anew, from what is stored, what units of work have asked of other systems that were rolled back afterwards, or have died:
 * the lock of the delivery is held until the end of such a unit of work, and the row is there exactly until its commit.
 */
export async function redeliverAttached(platform: StoringPlatform): Promise<void> {
  const { database, mappings } = platform;
  for (const row of await listAttached(database.db, MOST_AT_ONCE)) {
    if (mappings.named(row.mapping) !== undefined) await redeliver(platform, row);
  }
}

async function redeliver(platform: StoringPlatform, row: Attached): Promise<void> {
  const { mapping: name, source_id: id } = row;
  await runUnitOfWork(platform.database, {}, async (unitOfWork) => {
    const db = await unitOfWork.db();
    if (!(await tryLockNamed(db, LOCK.deliveryOf(name, id))) || !(await takeAttached(db, row))) return;
    await forgetSecrets(db, name, id);
    await putAgain(db, name, id);
    await wake(platform, unitOfWork, { name }, 0);
    const tell = () => platform.observe({ kind: 'sync.undone', mapping: name, source: id });
    unitOfWork.afterCommit(`'${id}' is delivered anew by '${name}'`, tell);
  });
}

/**
 * Deletes targets that were made for a source in a unit of work that was rolled back, and that it is not to have.
 *
 * @returns what kept it from that
 */
export async function undoLeftOver(
  stage: Stage,
  sourceId: string,
): Promise<{ readonly error: unknown } | undefined> {
  const { mapping, context, isAttached = false } = stage;
  if (isAttached || !mapping.enableLinking || !isOutside(mapping.target)) return undefined;
  const db = await context.unitOfWork.db();
  for (const { qualifier, made_id: id } of await listMade(db, mapping.name, sourceId)) {
    if ((await findPair(db, mapping, qualifier, 'target', id)) !== undefined) continue;
    const undo = () => deleteOutside({ ...stage, qualifier }, sourceId, id);
    try {
      await context.unitOfWork.savepoint(undo);
    } catch (error) {
      requireSurvivable(context, error);
      return { error };
    }
  }
  return undefined;
}
