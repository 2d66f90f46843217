import { setTimeout as sleep } from 'node:timers/promises';

/** A node that hangs holds up a change for as long as it counts as alive; one that lives has the change long before. */
const LONGEST_MS = 30_000;
const LOOK_MS = 10;

/**
 * Waits until a change holds on every live node, so that its answer may be followed by a request to any of them.
 *
 * @param countBehind how many live nodes go by what was before it
 * @returns false when one of them does not follow
 */
export async function reachAllNodes(
  countBehind: () => Promise<number>,
  longestMs = LONGEST_MS,
): Promise<boolean> {
  const until = performance.now() + longestMs;
  while (performance.now() < until) {
    if ((await countBehind()) === 0) return true;
    await sleep(LOOK_MS);
  }
  return false;
}
