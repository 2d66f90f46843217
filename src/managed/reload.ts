import { findOwn, objectStore, timesOf } from '#repo/index.ts';
import { type Exchange, objectPath } from './exchange.ts';

/** Takes over what has become of the object since it was stored: by later hooks, or as its derivations followed. */
export async function reload(exchange: Exchange): Promise<void> {
  const { id, refreshed, request, storedAt, type } = exchange;
  if (storedAt === null || request.method === 'delete') return;
  const { unitOfWork, changes } = storedAt;
  const resource = objectPath(exchange);
  const isWritten = unitOfWork.changes.slice(changes).some((change) => change.resource === resource);
  if (!isWritten && refreshed.get(type.name)?.before.has(id) !== true) return;
  const current = await findOwn(unitOfWork, objectStore(['managed', type.name]), id);
  if (current === undefined) return;
  exchange.object = current.data;
  exchange.rev = current.rev;
  exchange.times = timesOf(current) ?? exchange.times;
}
