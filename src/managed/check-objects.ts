import { cloneJson, equalJson, type JsonObject } from '#json/index.ts';
import { type ActionRequest, type Context, dbOf, resourceBody, type WriteContext } from '#resource/index.ts';
import { deriveProperties } from './derive/derive-properties.ts';
import {
  collectionOf,
  newExchange,
  objectPath,
  synchronizes,
  type WriteExchange,
  withIdentity,
} from './exchange.ts';
import type { ManagedPlatform } from './managed-platform.ts';
import { isDerived, scriptedWith } from './managed-property.ts';
import type { ManagedType } from './managed-type.ts';
import { listObjects } from './relationship/target-repository.ts';
import { planFields } from './retrieve/field-plan.ts';
import { attachReferences } from './retrieve/retrieve-objects.ts';
import { retrieveProperty, type Working } from './retrieve/run-retrieve-hooks.ts';
import { runLifecycle } from './run-lifecycle.ts';
import { isProtectionCurrent } from './secret.ts';
import { tellFailure } from './tell-failure.ts';

/**
 * Calculates what is stored of virtual properties anew, and updates the object with itself if that changed, or if a
 * secret is no longer protected as the type asks.
 */
export async function checkObject(
  platform: ManagedPlatform,
  type: ManagedType,
  context: WriteContext,
  request: ActionRequest,
  id: string,
): Promise<JsonObject> {
  const { path, fields, parameters, judgedAt } = request;
  const update = {
    method: 'update',
    path,
    fields,
    parameters,
    revision: null,
    content: {},
    ...(judgedAt === undefined ? {} : { judgedAt }),
  } as const;
  const options = { cause: request, isCheck: true };
  const exchange = newExchange(platform, context, type, update, id, options);
  const checked = resourceBody(await runLifecycle(exchange)) as JsonObject;
  // What has changed has told it already; nothing has, and its targets may still not be as they should.
  if (exchange.isUnchanged) await synchronizeUnchanged(exchange);
  return checked;
}

async function synchronizeUnchanged(exchange: WriteExchange): Promise<void> {
  const { platform, context, before, id, rev } = exchange;
  if (before === null || !synchronizes(exchange)) return;
  if (!platform.synchronizer.keepsCopies(collectionOf(exchange))) return;
  const resource = objectPath(exchange);
  const current = withIdentity(id, rev, before);
  const notice = { action: 'notifyUpdate', resource, before: current, after: current } as const;
  const results = await platform.synchronizer.notify(context, notice);
  if (!results.success) tellFailure({ context, platform }, resource, results);
}

/** The objects whose check would change something; however many there are, nothing is locked. */
export async function findStale(
  platform: ManagedPlatform,
  type: ManagedType,
  context: Context,
  request: ActionRequest,
  ids: readonly string[],
): Promise<readonly string[]> {
  const db = await dbOf(platform, context);
  const stored = await listObjects(db, `managed/${type.name}`, ids);
  const now: Working[] = stored.map((object) => ({ ...object, data: cloneJson(object.data) }));
  const retrieval = { platform, context, type, request, fields: [], runsHooks: false };
  await attachReferences(retrieval, db, planFields(type, []), now);
  const kept = type.calculated.filter(({ isDefault }) => isDefault);
  await deriveProperties(platform, db, type, kept.filter(isDerived), now);
  const own = kept.filter((property) => !isDerived(property));
  for (const property of scriptedWith(own, 'onRetrieve')) {
    for (const object of now) await retrieveProperty({ platform, context, type, request }, property, object);
  }
  const isStale = ({ data }: Working, before: JsonObject) =>
    kept.some(({ name }) => !equalJson(data[name] ?? null, before[name] ?? null)) ||
    !isProtectionCurrent(platform.crypto, type, before);
  const stale = now.filter((object, index) => isStale(object, stored[index]!.data)).map(({ id }) => id);
  // In one order, so that two checks at once wait for each other instead of deadlocking.
  return stale.sort();
}
