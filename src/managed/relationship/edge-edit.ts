import type { NotFoundError } from '#errors/index.ts';
import type { Edge, Target, WantedEdge } from './edge.ts';
import type { EdgePlan } from './plan-edges.ts';
import type { Relationship } from './relationship.ts';

/** What a request to a relationship's own endpoint wants of one edge. It becomes a plan when the edge is known. */
export interface EdgeEdit {
  readonly relationship: Relationship;
  /** Null means the only one of a singleton, and in an array a new one with an id of the server. */
  readonly edgeId: string | null;
  /** The revision that the edge must have; null for any. */
  readonly revision: string | null;
  /** What is to become of the edge that is there, null to remove it; absent when there must be none. */
  readonly change?: (edge: Edge) => WantedEdge | null | Promise<WantedEdge | null>;
  /** What is made when there is none; absent when there must be one. */
  readonly make?: WantedEdge;
  /** Not one edge is meant, but those that lead there: these are to be there and those are not, whatever else there is. */
  readonly several?: { readonly add: readonly WantedEdge[]; readonly remove: readonly Target[] };
  readonly notFound: () => NotFoundError;
}

/** The plan of an edit, and the edge that it leaves as it is or takes away. */
export interface EditPlan extends EdgePlan {
  readonly edge: Edge | null;
}
