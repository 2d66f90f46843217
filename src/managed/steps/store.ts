import { PreconditionFailedError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { changeObject, createObject, deleteObject, findOwn, objectStore } from '#repo/index.ts';
import { requireStorableSize } from '#resource/index.ts';
import { type Exchange, objectPath, withIdentity } from '../exchange.ts';

/** Writes the object's row and records the change. Relationships that a hook brought up this late are not stored. */
export async function store(exchange: Exchange): Promise<void> {
  const { context, type, id, object, stored, request } = exchange;
  for (const name of type.relationships.keys()) delete object[name];
  const unitOfWork = context.unitOfWork!;
  const place = objectStore(['managed', type.name]);
  const resource = objectPath(exchange);
  const reported = (rev: number, data: JsonObject) => withIdentity(id, rev, data);
  const { privates } = type;
  const before = stored === null ? null : reported(stored.rev, stored.data);
  if (request.method !== 'delete') requireStorableSize(resource, object, stored?.data ?? null, type.maxSize);
  if (request.method === 'create') {
    if (!(await createObject(unitOfWork, place, id, object))) throw objectExists(exchange);
    exchange.rev = 0;
    unitOfWork.record({ resource, operation: 'create', before, after: reported(0, object), privates });
  } else if (request.method === 'delete') {
    // The row is locked: only a hook of this same request can have changed it, and that is no reason to keep it.
    if (!(await deleteObject(await unitOfWork.db(), place, id, null))) throw changedMeanwhile(resource);
    unitOfWork.record({ resource, operation: 'delete', before, after: null, privates });
  } else {
    const rev = await changeObject(unitOfWork, place, id, stored!.rev, object);
    if (rev === undefined) throw changedMeanwhile(resource);
    exchange.rev = rev;
    const isPatch = request.method === 'patch';
    const after = reported(rev, object);
    unitOfWork.record({ resource, operation: 'update', isPatch, before, after, privates });
  }
  exchange.storedAt = unitOfWork.changes.length;
}

/** Takes over what has become of the object since it was stored: by later hooks, or as its derivations followed. */
export async function reload(exchange: Exchange): Promise<void> {
  const { context, id, refreshed, request, storedAt, type } = exchange;
  if (storedAt === null || request.method === 'delete') return;
  const { changes } = context.unitOfWork!;
  const resource = objectPath(exchange);
  const isWritten = changes.slice(storedAt).some((change) => change.resource === resource);
  if (!isWritten && refreshed.get(type.name)?.has(id) !== true) return;
  const current = await findOwn(context.unitOfWork!, objectStore(['managed', type.name]), id);
  if (current === undefined) return;
  exchange.object = current.data;
  exchange.rev = current.rev;
}

export function objectExists(exchange: Exchange): PreconditionFailedError {
  return new PreconditionFailedError(`Object '${objectPath(exchange)}' exists already`, {
    id: 'OBJECT_EXISTS',
  });
}

/** The row is locked since it was read, or nothing was pending: only a nested write of this same request can have changed it. */
function changedMeanwhile(resource: string): PreconditionFailedError {
  return new PreconditionFailedError(`Object '${resource}' was changed by a script of the same request`, {
    id: 'OBJECT_CHANGED_BY_HOOK',
    hint: "Change 'object' in the hook instead of updating it through svc.update",
  });
}
