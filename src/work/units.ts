import type { Claimed } from './claimed.ts';

/** Units that work which is due at once is spread over. */
const SPREAD = 4;
/** Fewer pieces together are not worth the statements of a unit, which are as many for one as for many. */
export const WORTHWHILE = 16;

export interface Division<Work> {
  /** Pieces in a unit. */
  readonly most: number;
  readonly free: number;
  /** How much of a unit it takes; from 1 on it goes alone. */
  readonly weightOf: (work: Work) => number;
}

/**
 * Work as it is executed, in its order: together where much is due, spread over the free seats. What something ended
 * with is only a danger to itself.
 */
export function unitsOf<Work extends Claimed>(
  works: readonly Work[],
  { most, free, weightOf }: Division<Work>,
): (readonly Work[])[] {
  const alone = new Set(works.filter((work) => work.lostWith.length > 0 || weightOf(work) >= 1));
  const sharing = works.length - alone.size;
  const size =
    sharing <= SPREAD ? 1 : Math.min(most, Math.max(WORTHWHILE, Math.ceil(sharing / Math.min(SPREAD, free))));
  const units: Work[][] = [];
  let open: Work[] = [];
  let left = 0;
  for (const work of works) {
    if (alone.has(work)) {
      units.push([work]);
      continue;
    }
    const weight = weightOf(work);
    if (open.length === 0 || open.length >= size || weight > left) {
      open = [];
      left = 1;
      units.push(open);
    }
    open.push(work);
    left -= weight;
  }
  return units;
}
