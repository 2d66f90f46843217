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
  const groups = Map.groupBy([...sets, ...edgeSets], ({ property, collection }) =>
    JSON.stringify([property, collection]),
  );
  return [...groups.values()].map((group) => ({
    ...group[0]!,
    ids: [...new Set(group.flatMap(({ ids }) => ids))],
  }));
}
