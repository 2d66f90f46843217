import { type FiringPlatform, type FiringResult, fireTrigger, isUnreachable } from './fire-trigger.ts';
import type { Firing } from './firing.ts';

/** What has been executed waits no longer than this for what is executed after it. */
const LONGEST_WAIT_MS = 50;

/**
 * Fires several triggers, the service of one after that of the other, each in a unit of work of its own. What they keep
 * for their commits leaves together, completions and ledger entries included: one statement, of which only the guilty
 * one is left out when it fails. What needs a transaction of its own has that once all before it have ended, and commits
 * by itself.
 *
 * @returns null for one that was rolled back because the database went away; fire it again
 */
export async function fireTogether(
  platform: FiringPlatform,
  firings: readonly Firing[],
  signal?: AbortSignal,
): Promise<(FiringResult | null)[]> {
  const results: Promise<FiringResult | null>[] = [];
  let wave = openWave();
  for (const firing of firings) {
    const { promise: isExecuted, resolve } = Promise.withResolvers<void>();
    if (wave.hasLeft) wave = openWave();
    const { whenLeft, leave } = wave;
    const executed = () => {
      resolve();
      return whenLeft;
    };
    const before = [...results];
    const opens = async () => {
      leave();
      await Promise.allSettled(before);
    };
    const result = fireTrigger(platform, firing, { signal, opens, executed }).catch((error: unknown) => {
      if (isUnreachable(error)) return null;
      throw error;
    });
    results.push(result);
    await Promise.race([isExecuted, result.catch(() => undefined)]);
  }
  wave.leave();
  return Promise.all(results);
}

function openWave() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const wave = {
    whenLeft: promise,
    hasLeft: false,
    leave() {
      wave.hasLeft = true;
      clearTimeout(timer);
      resolve();
    },
  };
  const timer = setTimeout(wave.leave, LONGEST_WAIT_MS);
  return wave;
}
