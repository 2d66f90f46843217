import type { ConnectorError } from './contract.ts';

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
