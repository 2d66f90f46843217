import { ResourceError } from '#errors/index.ts';

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/**
 * Looks at what is done elsewhere until it has come to its end: soon at first, then less and less often.
 *
 * @param signal aborted when nobody waits any more
 * @throws ResourceError `NOBODY_WAITS` then
 */
export async function lookUntil<Seen>(
  look: () => Promise<Seen>,
  isOver: (seen: Seen) => boolean,
  signal?: AbortSignal,
): Promise<Seen> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    if (signal?.aborted === true) throw nobodyWaits();
    const seen = await look();
    if (isOver(seen)) return seen;
    await pauseOf(pause, signal);
  }
}

/** Ends early when nobody waits any more. */
async function pauseOf(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const end = () => resolve();
  signal?.addEventListener('abort', end, { once: true });
  await promise;
  clearTimeout(timer);
  signal?.removeEventListener('abort', end);
}

/** The error for somebody who only waited, when nobody waits any more. */
export function nobodyWaits(): ResourceError {
  return new ResourceError(408, 'Whoever has asked does not wait for the answer any more', {
    id: 'NOBODY_WAITS',
  });
}
