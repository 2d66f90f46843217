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
  const { context, platform, type, id, request } = exchange;
  const { unitOfWork } = context;
  const store = objectStore(['managed', type.name]);
  let stored: StoredObject | undefined;
  if (request.method === 'read') {
    stored =
      unitOfWork === null
        ? await findObject(platform.database.db, store, id)
        : await findOwn(unitOfWork, store, id);
  } else if (exchange.isLight) {
    stored = await findOwn(unitOfWork!, store, id);
  } else {
    const strength = request.method === 'delete' ? 'update' : 'no key update';
    stored = await lockObject(await unitOfWork!.db(), type.name, id, strength);
  }
  if (stored === undefined) throw new NotFoundError(`Object '${objectPath(exchange)}' not found`);
  exchange.stored = stored;
  exchange.rev = stored.rev;
}
