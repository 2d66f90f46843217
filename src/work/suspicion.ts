import { troubleOf } from '#database/index.ts';
import { BystanderError } from '#errors/index.ts';
import { MAX_SUSPICIONS } from '#lifecycle/index.ts';
import type { Claimed } from './claimed.ts';

/** Work that is suspected so often is run alone: one more end would count as its own doing, which may only be one that it met alone. */
export const SUSPECT_FROM = MAX_SUSPICIONS - 1;
/**
 * How often work may be interrupted, also by the ends of nodes that only hung: what makes them hang must not go on
 * for ever.
 */
export const MAX_INTERRUPTIONS = 10;

/** A piece of a job that was begun so often without an end is what has ended its threads or nodes. */
export const MOST_BEGINNINGS = MAX_SUSPICIONS;

export function isSuspect({ suspected }: Pick<Claimed, 'suspected'>): boolean {
  return suspected >= SUSPECT_FROM;
}

/** Whether work is given up that ended so many nodes and threads, or was interrupted too often. */
export function isPoison(
  { suspected, lostWith }: Pick<Claimed, 'suspected' | 'lostWith'>,
  losses = MAX_SUSPICIONS,
): boolean {
  return suspected >= losses || lostWith.length >= MAX_INTERRUPTIONS;
}

/**
 * Whether work may be why the thread has died that it ran in. It is not when another's script ended that, and without a
 * database nobody can tell.
 */
export function mayBeWhy(threadDied: unknown): boolean {
  return !(threadDied instanceof BystanderError) && troubleOf(threadDied) !== 'unreachable';
}
