import { MAX_SUSPICIONS } from '#lifecycle/index.ts';
import type { Claimed } from './claimed.ts';

/** One more would convict it, which only an end can be that it met alone: it is tried so. */
export function isSuspect({ suspected }: Pick<Claimed, 'suspected'>): boolean {
  return suspected >= MAX_SUSPICIONS - 1;
}
