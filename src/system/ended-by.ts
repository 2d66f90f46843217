import type { ConnectorError } from './contract.ts';

/** A request that has waited so long, and had no more time, has waited for the other system. */
const LONG_MS = 2_000;

/** A connector that does not listen to its signal holds up nobody. */
export async function endedBy<T>(
  signal: AbortSignal,
  work: Promise<T>,
  error: () => ConnectorError,
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(error());
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    work.catch(() => {});
    promise.catch(() => {});
  }
}

/** Whether nobody waits for the call any more for reasons that say nothing of the system. */
export function hasLeft(outer: AbortSignal | undefined, startedAt: number): boolean {
  if (outer?.aborted !== true) return false;
  const isOverTime = outer.reason instanceof DOMException && outer.reason.name === 'TimeoutError';
  return !isOverTime || performance.now() - startedAt < LONG_MS;
}
