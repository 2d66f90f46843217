import { cloneJson, equalJson, type JsonObject } from '#json/index.ts';
import type { SyncNotification } from '#platform/index.ts';
import { requestView } from '#script/index.ts';
import {
  collectionOf,
  objectPath,
  type Planned,
  synchronizes,
  type WriteRequest,
  withIdentity,
} from '../exchange.ts';
import { withRelationships } from '../relationship/looked-up-edges.ts';
import { reload } from '../reload.ts';
import { tellFailure } from '../tell-failure.ts';

const ACTION: Readonly<Record<WriteRequest['method'], SyncNotification>> = {
  create: 'notifyCreate',
  update: 'notifyUpdate',
  patch: 'notifyUpdate',
  delete: 'notifyDelete',
};

/** Tells the synchronization, and then `onSync` what came of it. */
export async function synchronize(exchange: Planned): Promise<void> {
  await reload(exchange);
  const { before, cause, context, id, platform, request, rev, stored, type } = exchange;
  const after =
    request.method === 'delete' ? null : cloneJson(withIdentity(id, rev, withRelationships(exchange)));
  const old = before === null ? null : withIdentity(id, stored.rev, before);
  const resource = objectPath(exchange);
  const changed = stored === null || after === null ? undefined : changedNames(stored.data, exchange.object);
  const notice = {
    action: ACTION[request.method],
    resource,
    before: old,
    after,
    ...(changed === undefined ? {} : { changed }),
  };
  const syncResults = await platform.synchronizer.notify(context, notice);
  const reference = type.hooks.onSync;
  if (reference === undefined) {
    // Where nobody else hears of it, the operator does.
    if (!syncResults.success) {
      tellFailure(exchange, resource, syncResults);
    }
    return;
  }
  await platform.scripts.evaluate(context, {
    reference,
    label: `${type.name} onSync`,
    bindings: {
      request: requestView(cause),
      resourceName: resource,
      object: after ?? old,
      oldObject: old,
      newObject: after,
      syncResults,
    },
  });
}
synchronize.applies = (exchange: Planned) => {
  const { platform, type } = exchange;
  const isHeard =
    type.hooks.onSync !== undefined || platform.synchronizer.keepsCopies(collectionOf(exchange));
  return isHeard && synchronizes(exchange);
};

function changedNames(before: JsonObject, after: JsonObject): ReadonlySet<string> {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return new Set([...names].filter((name) => !equalJson(before[name], after[name])));
}
