import { PreconditionFailedError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { changeObject, createObject, deletingObject, objectStore } from '#repo/index.ts';
import { requireStorableSize } from '#resource/index.ts';
import { objectExists, objectPath, type Planned, withIdentity } from '../exchange.ts';

/** Writes the object's row and records the change. Relationships that a hook brought up this late are not stored. */
export async function store(exchange: Planned): Promise<void> {
  const { context, platform, type, id, object, stored, request } = exchange;
  for (const name of type.relationships.keys()) delete object[name];
  const { unitOfWork } = context;
  const place = objectStore(['managed', type.name]);
  const resource = objectPath(exchange);
  const reported = (rev: number, data: JsonObject) => withIdentity(id, rev, data);
  const { privates } = type;
  const before = stored === null ? null : reported(stored.rev, stored.data);
  if (request.method !== 'delete') requireStorableSize(resource, object, stored?.data ?? null, type.maxSize);
  const updated = new Date(Math.floor(platform.clock.now())).toISOString();
  const times = { created: exchange.times?.created ?? updated, updated };
  if (stored === null) {
    if (!(await createObject(unitOfWork, place, id, object, times))) throw objectExists(exchange);
    exchange.rev = 0;
    exchange.times = times;
    unitOfWork.record({ resource, operation: 'create', before, after: reported(0, object), privates });
  } else if (request.method === 'delete') {
    // The row is locked: only a hook of this same request can have changed it, and that is no reason to keep it.
    await unitOfWork.hold(deletingObject(place, id, () => changedMeanwhile(resource)));
    unitOfWork.record({ resource, operation: 'delete', before, after: null, privates });
  } else {
    const rev = await changeObject(unitOfWork, place, id, stored.rev, object, times);
    if (rev === undefined) throw changedMeanwhile(resource);
    exchange.rev = rev;
    exchange.times = times;
    const isPatch = request.method === 'patch';
    const after = reported(rev, object);
    unitOfWork.record({ resource, operation: 'update', isPatch, before, after, privates });
  }
  exchange.storedAt = { unitOfWork, changes: unitOfWork.changes.length };
}

/** The row is locked since it was read, or nothing was pending: only a nested write of this same request can have changed it. */
function changedMeanwhile(resource: string): PreconditionFailedError {
  return new PreconditionFailedError(`Object '${resource}' was changed by a script of the same request`, {
    id: 'OBJECT_CHANGED_BY_HOOK',
    hint: "Change 'object' in the hook instead of updating it through svc.update",
  });
}
