import { formatRef, sameTarget } from './edge.ts';
import type { EdgeChange } from './plan-edges.ts';

/** How many references of one request are told: more of the same kind say nothing new. */
const MOST_TOLD = 10;

/**
 * What is said of references that lead where their relationship is not declared to lead. They are kept all the same: what
 * `resourceCollection` lists is what there is to choose from, and projects refer to other objects, too.
 */
export function strayWarnings(changes: readonly EdgeChange[]): readonly string[] {
  return changes.flatMap(warningOf).slice(0, MOST_TOLD);
}

function warningOf({ relationship, before, after }: EdgeChange): readonly string[] {
  const { collections, property } = relationship;
  const isNew = after !== null && (before === null || !sameTarget(before.target, after.target));
  if (!isNew || collections.length === 0) return [];
  const { target } = after;
  if (collections.some((collection) => nameOf(collection) === nameOf(target.collection))) return [];
  const declared = collections.map((collection) => `'${collection}'`).join(', ');
  return [
    `${property}: '${formatRef(target)}' is in none of the collections that it is declared for: ${declared}`,
  ];
}

/** Newer files call `internal/role` what others call `repo/internal/role`. */
function nameOf(collection: string): string {
  return collection.replace(/^repo\/(?=internal\/)/, '');
}
