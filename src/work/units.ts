import type { Claimed } from './claimed.ts';

/** Units that work which is due at once is spread over. */
const SPREAD = 4;
/** Fewer pieces together are not worth the statements of a unit, which are as many for one as for many. */
export const WORTHWHILE = 16;

/**
 * Work as it is executed: together where much is due, spread over the free seats. What something ended with is only a
 * danger to itself.
 */
export function unitsOf<Work extends Claimed>(
  works: readonly Work[],
  { most, free }: { readonly most: number; readonly free: number },
): (readonly Work[])[] {
  const size =
    works.length <= SPREAD
      ? 1
      : Math.min(most, Math.max(WORTHWHILE, Math.ceil(works.length / Math.min(SPREAD, free))));
  const alone = works.filter(({ lostWith }) => size === 1 || lostWith.length > 0);
  const others = works.filter((work) => !alone.includes(work));
  const units: (readonly Work[])[] = alone.map((work) => [work]);
  for (let at = 0; at < others.length; at += size) units.push(others.slice(at, at + size));
  return units;
}
