import { NotFoundError } from '#errors/index.ts';
import { cloneJson } from '#json/index.ts';
import { findObject, objectStore } from '#repo/index.ts';
import { type Exchange, objectPath } from '../exchange.ts';

/** Reads the object; for a write, its row stays locked until the end of the unit of work, so that writers queue. */
export async function loadStored(exchange: Exchange): Promise<void> {
  const { context, platform, type, id, request } = exchange;
  const db = context.unitOfWork === null ? platform.database.db : await context.unitOfWork.db();
  const stored = await findObject(db, objectStore(['managed', type.name]), id, request.method !== 'read');
  if (stored === undefined) throw new NotFoundError(`Object '${objectPath(exchange)}' not found`);
  exchange.stored = stored;
  exchange.object = cloneJson(stored.data);
  exchange.rev = stored.rev;
}
