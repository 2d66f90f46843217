import type { Claimed } from './claimed.ts';

/** Units that work which is due at once is spread over. */
const SPREAD = 4;
/** Fewer pieces together are not worth the statements of a unit, which are as many for one as for many. */
export const WORTHWHILE = 16;

export interface Division<Work> {
  /** Pieces in a unit. */
  readonly most: number;
  readonly free: number;
  /** Whether it may go together with others. */
  readonly mayShare: (work: Work) => boolean;
}

/**
 * Work as it is executed, in its order: together where much is due, spread over the free seats. What something ended
 * with is only a danger to itself.
 */
export function unitsOf<Work extends Claimed>(
  works: readonly Work[],
  { most, free, mayShare }: Division<Work>,
): (readonly Work[])[] {
  const alone = new Set(works.filter((work) => work.lostWith.length > 0 || !mayShare(work)));
  const sharing = works.length - alone.size;
  const size =
    sharing <= SPREAD ? 1 : Math.min(most, Math.max(WORTHWHILE, Math.ceil(sharing / Math.min(SPREAD, free))));
  const units: Work[][] = [];
  let open: Work[] = [];
  for (const work of works) {
    if (alone.has(work)) units.push([work]);
    else if (open.length > 0 && open.length < size) open.push(work);
    else {
      open = [work];
      units.push(open);
    }
  }
  return units;
}
