import { NotFoundError } from '#errors/index.ts';
import { findObject, objectStore } from '#repo/index.ts';
import { dbOf, readerOf } from '#resource/index.ts';
import { type Exchange, objectPath } from '../exchange.ts';
import { lockObject } from '../relationship/target-repository.ts';

/**
 * Reads the object; for a write, its row stays locked until the end of the unit of work, so that writers queue. A
 * lock for a deletion also waits for those who just refer to the object, and holds off new references.
 */
export async function loadStored(exchange: Exchange): Promise<void> {
  const { context, platform, type, id, request } = exchange;
  const stored =
    request.method === 'read'
      ? await findObject(await readerOf(platform, context), objectStore(['managed', type.name]), id)
      : await lockObject(
          await dbOf(platform, context),
          type.name,
          id,
          request.method === 'delete' ? 'update' : 'no key update',
        );
  if (stored === undefined) throw new NotFoundError(`Object '${objectPath(exchange)}' not found`);
  exchange.stored = stored;
  exchange.rev = stored.rev;
}
