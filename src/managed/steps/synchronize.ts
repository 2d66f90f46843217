import { cloneJson } from '#json/index.ts';
import { requestView } from '#script/index.ts';
import { collectionOf, type Exchange, objectPath, withIdentity } from '../exchange.ts';
import type { SyncAction } from '../synchronizer.ts';
import { withRelationships } from './run-hook.ts';
import { reload } from './store.ts';

const ACTION: Readonly<Record<'create' | 'update' | 'patch' | 'delete', SyncAction>> = {
  create: 'notifyCreate',
  update: 'notifyUpdate',
  patch: 'notifyUpdate',
  delete: 'notifyDelete',
};

/** Tells the synchronization, and then `onSync` what came of it. */
export async function synchronize(exchange: Exchange): Promise<void> {
  await reload(exchange);
  const { before, cause, context, id, platform, request, rev, stored, type } = exchange;
  if (request.method === 'read') return;
  const after =
    request.method === 'delete' ? null : cloneJson(withIdentity(id, rev, withRelationships(exchange)));
  const old = before === null ? null : withIdentity(id, stored!.rev, before);
  const resource = objectPath(exchange);
  const notice = { action: ACTION[request.method], resource, before: old, after };
  const syncResults = await platform.synchronizer.notify(context, notice);
  const reference = type.hooks.onSync;
  if (reference === undefined) return;
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
synchronize.applies = (exchange: Exchange) => {
  const { platform, type } = exchange;
  const isHeard =
    type.hooks.onSync !== undefined || platform.synchronizer.keepsCopies(collectionOf(exchange));
  return isHeard && synchronizes(exchange);
};

/** The server's own marks on an object, such as those of the task scanner, may go without. */
export function synchronizes({ context, request }: Exchange): boolean {
  return request.parameters['_synchronize'] !== 'false' || context.client.isExternal;
}
