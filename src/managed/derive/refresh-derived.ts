import type { Db } from '#database/index.ts';
import { equalJson, type JsonObject } from '#json/index.ts';
import type { ManagedPlatform } from '../managed-platform.ts';
import type { ManagedType } from '../managed-type.ts';
import { nextStep } from './dependent.ts';
import { listMembers, listOrigins, updateMembers } from './derivation-repository.ts';
import { deriveProperties } from './derive-properties.ts';

const PAGE_SIZE = 1000;

/** Objects of a type whose stored derivations were written anew. */
export interface Refreshed {
  readonly owner: ManagedType;
  /** What was stored before, by id. */
  readonly before: ReadonlyMap<string, JsonObject>;
}

/**
 * Brings what is stored of derived properties up to date, without hooks, and then what others store of these objects.
 * However many there are, it is a few statements for each thousand.
 *
 * @param refreshed by the name of the type: takes those that differed
 */
export async function refreshDerived(
  platform: ManagedPlatform,
  db: Db,
  owner: ManagedType,
  ids: ReadonlySet<string>,
  refreshed: Map<string, Refreshed>,
): Promise<void> {
  const changed = new Map<string, JsonObject>();
  // In one order, so that two who do this at once wait for each other instead of deadlocking.
  const sorted = [...ids].sort();
  for (let start = 0; start < sorted.length; start += PAGE_SIZE) {
    const page = sorted.slice(start, start + PAGE_SIZE);
    for (const [id, before] of await refreshPage(platform, db, owner, page)) changed.set(id, before);
  }
  if (changed.size === 0) return;
  const known = refreshed.get(owner.name);
  refreshed.set(owner.name, { owner, before: new Map([...changed, ...(known?.before ?? [])]) });
  // What depends on a type is looked at once: circles of derivations have no end.
  if (known !== undefined) return;
  for (const dependent of platform.types.dependentsOn(owner.name)) {
    const { depth, derivation } = dependent;
    if (nextStep(dependent) !== undefined || derivation.fields === null) continue;
    const targets = { collection: `managed/${owner.name}`, ids: [...changed.keys()] };
    const path = derivation.path.slice(0, depth);
    const origins = await listOrigins(db, `managed/${dependent.owner.name}`, path, targets);
    await refreshDerived(platform, db, dependent.owner, new Set(origins), refreshed);
  }
}

async function refreshPage(
  platform: ManagedPlatform,
  db: Db,
  owner: ManagedType,
  ids: readonly string[],
): Promise<ReadonlyMap<string, JsonObject>> {
  const names = owner.storedDerived.map(({ name }) => name);
  const stored = await listMembers(db, owner.name, ids, names);
  const now = stored.map(({ id }) => ({ id, data: {} }));
  await deriveProperties(platform, db, owner, owner.storedDerived, now);
  const stale = now.filter(({ data }, index) => !equalJson(data, stored[index]!.members));
  if (stale.length > 0) {
    await updateMembers(
      db,
      owner.name,
      stale.map(({ id, data }) => ({ id, members: data })),
    );
  }
  const before = new Map(stored.map(({ id, members }) => [id, members]));
  return new Map(stale.map(({ id }) => [id, before.get(id)!]));
}
