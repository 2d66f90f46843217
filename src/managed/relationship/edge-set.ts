import type { EdgeChange } from './plan-edges.ts';

/** Where edges of one property lead: ids of objects of one collection. */
export interface EdgeSet {
  /** Null where this end does not know of the edges. */
  readonly property: string | null;
  readonly collection: string;
  readonly ids: readonly string[];
}

/** The other ends of all edges that a request made, changed or removed. */
export function changedEnds({
  edgeChanges,
  edgeSets,
}: {
  readonly edgeChanges: readonly EdgeChange[];
  readonly edgeSets: readonly EdgeSet[];
}): readonly EdgeSet[] {
  const edges = edgeChanges.flatMap(({ before, after }) => [before ?? [], after ?? []].flat());
  const sets = edges.map(({ property, target }) => ({
    property,
    collection: target.collection,
    ids: [target.id],
  }));
  const groups = new Map<string, Omit<EdgeSet, 'ids'> & { readonly ids: Set<string> }>();
  for (const { property, collection, ids } of [...sets, ...edgeSets]) {
    const key = JSON.stringify([property, collection]);
    const group = groups.get(key) ?? { property, collection, ids: new Set() };
    for (const id of ids) group.ids.add(id);
    groups.set(key, group);
  }
  return [...groups.values()].map((group) => ({ ...group, ids: [...group.ids] }));
}
