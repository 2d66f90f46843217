import { equalJson, type JsonObject } from '#json/index.ts';
import { typeNameOf } from '../collection.ts';
import { type Exchange, objectPath, synchronizes, type WriteExchange, withIdentity } from '../exchange.ts';
import type { ManagedType } from '../managed-type.ts';
import { changedEnds } from '../relationship/edge-set.ts';
import { listObjects } from '../relationship/target-repository.ts';
import { decryptProperties } from '../secret.ts';
import { tellFailure } from '../tell-failure.ts';

const PAGE_SIZE = 500;

/**
 * Tells the synchronization of objects that this request has changed without a life of their own: those that know the
 * other end of a changed edge, and those whose stored derivations followed. Their hooks do not run; a failure is
 * reported and does not end the request.
 */
export async function synchronizeOthers(exchange: WriteExchange): Promise<void> {
  const { platform } = exchange;
  for (const [name, ids] of othersByType(exchange)) {
    const type = platform.types.current().get(name);
    if (type === undefined || !platform.synchronizer.keepsCopies(`managed/${name}`)) continue;
    const sorted = [...ids].sort();
    for (let start = 0; start < sorted.length; start += PAGE_SIZE) {
      await notifyPage(exchange, type, sorted.slice(start, start + PAGE_SIZE));
    }
  }
}
synchronizeOthers.applies = synchronizes;

function othersByType(exchange: Exchange): ReadonlyMap<string, ReadonlySet<string>> {
  const { refreshed, type, id } = exchange;
  const others = new Map([...refreshed].map(([name, { before }]) => [name, new Set(before.keys())]));
  for (const { property, collection, ids } of changedEnds(exchange)) {
    // The other end of a one-way relationship knows nothing of it.
    const relationship = property === null ? undefined : type.relationships.get(property);
    const isKnown = relationship !== undefined && relationship.reverseProperty !== null;
    const name = typeNameOf(collection);
    if (!isKnown || name === null) continue;
    others.set(name, new Set([...(others.get(name) ?? []), ...ids]));
  }
  others.get(type.name)?.delete(id);
  return others;
}

async function notifyPage(exchange: WriteExchange, type: ManagedType, ids: readonly string[]): Promise<void> {
  const { context, platform, refreshed } = exchange;
  const db = await context.unitOfWork.db();
  for (const { id, rev, data } of await listObjects(db, `managed/${type.name}`, ids)) {
    const content = await decryptProperties(platform.crypto, type, data);
    const derived = refreshed.get(type.name)?.before.get(id);
    const before =
      derived === undefined ? withIdentity(id, rev, content) : stateBefore(id, rev, content, derived);
    const resource = objectPath({ type, id });
    const results = await platform.synchronizer.notify(context, {
      action: 'notifyUpdate',
      resource,
      before,
      after: withIdentity(id, rev, content),
      changed: changedNames(derived ?? {}, content),
    });
    if (!results.success) tellFailure(exchange, resource, results);
  }
}

/** Nothing of what is stored has changed but derivations that have followed. */
function changedNames(derived: JsonObject, now: JsonObject): ReadonlySet<string> {
  const names = Object.keys(derived).filter((name) => !equalJson(derived[name] ?? null, now[name] ?? null));
  return new Set(names);
}

/** The object before its derivations followed, which was one revision. */
function stateBefore(id: string, rev: number, content: JsonObject, derived: JsonObject): JsonObject {
  const before = { ...content, ...derived };
  for (const [name, value] of Object.entries(derived)) if (value === null) delete before[name];
  return withIdentity(id, rev - 1, before);
}
