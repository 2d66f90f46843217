import type { Db } from '#database/index.ts';
import { type Context, pointersOf, type QueryFilter, type SortKey } from '#resource/index.ts';
import type { ManagedPlatform } from '../managed-platform.ts';
import { mayRead } from '../may-read.ts';
import { formatRef, type Target } from './edge.ts';
import type { HiddenTargets } from './edge-query-repository.ts';
import { listTargetCollections, listTargets } from './edge-repository.ts';

/**
 * Beyond so many edges it is not asked which targets the caller may read, but whether it may read all of their
 * collection.
 */
const MOST_ASKED = 1_000;
/** Stands for any object of a collection: no rule knows it. */
const ANY_OBJECT = '00000000-0000-4000-8000-000000000000';

/** Whether more is asked about edges than they say themselves. */
export function asksForTargets(
  { filter, sortKeys }: { readonly filter: QueryFilter; readonly sortKeys: readonly SortKey[] },
  ofTheEdge: (name: string) => boolean,
): boolean {
  const pointers = [...pointersOf(filter), ...sortKeys.map(({ pointer }) => pointer)];
  return pointers.some(([name = '']) => !ofTheEdge(name));
}

/** What the caller must not find by its values, either: those it would not be shown. */
export async function findHiddenTargets(
  platform: ManagedPlatform,
  context: Context,
  db: Db,
  owner: Target & { readonly property: string },
): Promise<HiddenTargets> {
  const isShown = (target: Target) => mayRead(platform, context, formatRef(target));
  const targets = await listTargets(db, owner, MOST_ASKED + 1);
  if (targets.length > MOST_ASKED) {
    const collections = await listTargetCollections(db, owner);
    const isHidden = await Promise.all(
      collections.map(async (collection) => !(await isShown({ collection, id: ANY_OBJECT }))),
    );
    return { objects: [], collections: collections.filter((_, at) => isHidden[at]) };
  }
  const objects: Target[] = [];
  for (const target of targets) if (!(await isShown(target))) objects.push(target);
  return { objects, collections: [] };
}
