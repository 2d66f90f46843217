import type { WriteContext } from '#resource/index.ts';
import type { LockedInstance } from './instance.ts';
import { type LockedTask, type LockOptions, lockInstance, seeInstance } from './instance-repository.ts';
import { treeKey } from './step-repository.ts';

/**
 * Where a running instance stands, for a step that a request takes. As long as nobody else moves it, nothing is locked:
 * the step is stored only if the instance is still there, and else taken once more, with the lock.
 */
export async function holdInstance(
  { unitOfWork: unit }: WriteContext,
  id: string,
  options: Pick<LockOptions, 'task' | 'skipLocked'> = {},
): Promise<(LockedInstance & { readonly task?: LockedTask }) | undefined> {
  if (!unit.isOpen && unit.mayBePending(treeKey(id))) {
    const seen = await seeInstance(await unit.readerBesidePending(), id, options);
    if (seen === undefined || unit.mayBePending(treeKey(seen.instance.rootId))) return seen;
  }
  return lockInstance(await unit.db(), id, options);
}
