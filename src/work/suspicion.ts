import { MAX_SUSPICIONS } from '#lifecycle/index.ts';
import type { Claimed } from './claimed.ts';

/** One more end would count as its own doing. That may only be one that it met alone, so it is run alone. */
export function isSuspect({ suspected }: Pick<Claimed, 'suspected'>): boolean {
  return suspected >= MAX_SUSPICIONS - 1;
}
