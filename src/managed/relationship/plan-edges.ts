import { PreconditionFailedError } from '#errors/index.ts';
import { type Edge, edgeKey, formatRef, sameEdge, sameTarget, type WantedEdge } from './edge.ts';
import type { Relationship } from './relationship.ts';

/** What has to be done to the edges of one relationship. */
export interface EdgePlan {
  readonly relationship: Relationship;
  readonly create: readonly WantedEdge[];
  readonly update: readonly { readonly edge: Edge; readonly wanted: WantedEdge }[];
  readonly remove: readonly Edge[];
}

/**
 * Compares what is stored with what is wanted. A wanted edge with an id means the stored one of that id; one
 * without, or with the id of an edge of somebody else, takes a stored edge that says the same, so that sending a list
 * back changes nothing.
 *
 * @param keeps stored edges that stay although nobody wants them
 * @throws PreconditionFailedError when the same edge is wanted twice
 */
export function planEdges(
  relationship: Relationship,
  stored: readonly Edge[],
  wanted: readonly WantedEdge[],
  keeps: (edge: Edge) => boolean = () => false,
): EdgePlan {
  refuseTwins(wanted);
  const left = new Set(stored);
  const byId = new Map(stored.map((edge) => [edge.id, edge]));
  const rest: WantedEdge[] = [];
  const update: { edge: Edge; wanted: WantedEdge }[] = [];
  for (const each of wanted) {
    const edge = each.id === null ? undefined : byId.get(each.id);
    if (edge === undefined || !left.delete(edge)) rest.push({ ...each, id: null });
    else if (!sameEdge(edge, each)) update.push({ edge, wanted: each });
  }
  const alike = Map.groupBy(left, edgeKey);
  const create = rest.filter((each) => {
    const edge = alike.get(edgeKey(each))?.shift();
    if (edge === undefined) return true;
    left.delete(edge);
    return false;
  });
  return { relationship, create, update, remove: [...left].filter((edge) => !keeps(edge)) };
}

export function isEmptyPlan({ create, update, remove }: EdgePlan): boolean {
  return create.length + update.length + remove.length === 0;
}

function refuseTwins(wanted: readonly WantedEdge[]): void {
  const seen = new Set<string>();
  for (const each of wanted) {
    const key = edgeKey(each);
    if (seen.has(key)) {
      throw new PreconditionFailedError('Duplicate relationship specified in relationship collection.', {
        id: 'RELATIONSHIP_DUPLICATE',
        detail: { ref: formatRef(each.target) },
      });
    }
    seen.add(key);
  }
}

/** What became of an edge; null where it was not, or is no more. */
export type EdgeChange = { readonly relationship: Relationship } & (
  | { readonly before: Edge; readonly after: Edge | null }
  | { readonly before: null; readonly after: Edge }
);

/** The edge as it is, or as it was where it is no more. */
export function edgeOf({ before, after }: EdgeChange): Edge {
  return before === null ? after : (after ?? before);
}

/** Wanted edges that lead somewhere new, and so must be validated. */
export function newTargets({ create, update }: EdgePlan): readonly WantedEdge[] {
  return [
    ...create,
    ...update
      .filter(({ edge, wanted }) => !sameTarget(edge.target, wanted.target))
      .map(({ wanted }) => wanted),
  ];
}
