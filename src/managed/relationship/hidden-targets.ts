import type { Db } from '#database/index.ts';
import { ForbiddenError } from '#errors/index.ts';
import { type Context, parsePath, pointersOf, type QueryFilter, type SortKey } from '#resource/index.ts';
import type { ManagedPlatform } from '../managed-platform.ts';
import { formatRef, type Target } from './edge.ts';
import type { HiddenTargets } from './edge-query-repository.ts';
import { listTargetCollections, listTargets } from './edge-repository.ts';

/** Of more edges it is not asked which targets the caller may read, but whether it is all of their collection. */
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
  { resources }: ManagedPlatform,
  context: Context,
  db: Db,
  owner: Target & { readonly property: string },
): Promise<HiddenTargets> {
  const targets = await listTargets(db, owner, MOST_ASKED + 1);
  if (targets.length > MOST_ASKED) {
    const collections = await listTargetCollections(db, owner);
    const isHidden = await Promise.all(
      collections.map(async (collection) => !(await mayRead({ collection, id: ANY_OBJECT }))),
    );
    return { objects: [], collections: collections.filter((_, at) => isHidden[at]) };
  }
  const objects: Target[] = [];
  for (const target of targets) if (!(await mayRead(target))) objects.push(target);
  return { objects, collections: [] };

  async function mayRead(target: Target): Promise<boolean> {
    const path = parsePath(formatRef(target));
    try {
      await resources.admit(context, { method: 'read', path, fields: [], parameters: {} });
      return true;
    } catch (error) {
      if (error instanceof ForbiddenError) return false;
      throw error;
    }
  }
}
