import { PreconditionFailedError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { deleteObject, insertObject, objectStore, updateObject } from '#repo/index.ts';
import { type Exchange, objectPath, withIdentity } from '../exchange.ts';

/** Writes the object's row and records the change. */
export async function store(exchange: Exchange): Promise<void> {
  const { context, type, id, object, stored, request } = exchange;
  const unitOfWork = context.unitOfWork!;
  const db = await unitOfWork.db();
  const place = objectStore(['managed', type.name]);
  const resource = objectPath(exchange);
  const reported = (rev: number, data: JsonObject) => withIdentity(id, rev, withoutPrivate(exchange, data));
  const before = stored === null ? null : reported(stored.rev, stored.data);
  if (request.method === 'create') {
    if (!(await insertObject(db, place, id, object))) throw objectExists(exchange);
    exchange.rev = 0;
    unitOfWork.record({ resource, operation: 'create', before, after: reported(0, object) });
  } else if (request.method === 'delete') {
    if (!(await deleteObject(db, place, id, stored!.rev))) throw changedMeanwhile(resource);
    unitOfWork.record({ resource, operation: 'delete', before, after: null });
  } else {
    const rev = await updateObject(db, place, id, stored!.rev, object);
    if (rev === undefined) throw changedMeanwhile(resource);
    exchange.rev = rev;
    unitOfWork.record({ resource, operation: 'update', before, after: reported(rev, object) });
  }
}

export function objectExists(exchange: Exchange): PreconditionFailedError {
  return new PreconditionFailedError(`Object '${objectPath(exchange)}' exists already`, {
    id: 'OBJECT_EXISTS',
  });
}

/** What a dry run reports leaves the house. */
function withoutPrivate({ type }: Exchange, data: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !type.privates.has(name)));
}

/** The row is locked since it was read, so only a nested write of this same request can have changed it. */
function changedMeanwhile(resource: string): PreconditionFailedError {
  return new PreconditionFailedError(`Object '${resource}' was changed by a script of the same request`, {
    id: 'OBJECT_CHANGED_BY_HOOK',
    hint: "Change 'object' in the hook instead of updating it through svc.update",
  });
}
