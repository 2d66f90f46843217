import { NotFoundError } from '#errors/index.ts';
import { findObject, findOwn, objectStore, type StoredObject } from '#repo/index.ts';
import { type Exchange, objectPath } from '../exchange.ts';
import { lockObject } from '../relationship/target-repository.ts';

/**
 * Reads the object. For a write, its row stays locked until the end of the unit of work, so that writers queue; a
 * change of nothing but the object itself need not lock it, because it is stored only if nobody else was faster. A
 * lock for a deletion also waits for those who just refer to the object, and holds off new references.
 */
export async function loadStored(exchange: Exchange): Promise<void> {
  const stored = await find(exchange);
  if (stored === undefined) throw new NotFoundError(`Object '${objectPath(exchange)}' not found`);
  exchange.stored = stored;
  exchange.rev = stored.rev;
}

async function find({
  context: { unitOfWork },
  isLight,
  platform,
  type,
  id,
  request: { method },
}: Exchange): Promise<StoredObject | undefined> {
  const store = objectStore(['managed', type.name]);
  if (unitOfWork === null) return findObject(platform.database.db, store, id);
  if (method === 'read' || isLight) return findOwn(unitOfWork, store, id);
  const strength = method === 'delete' ? 'update' : 'no key update';
  return lockObject(await unitOfWork.db(), type.name, id, strength);
}
