import type { WriteContext } from '#resource/index.ts';

/** Asks something on the way of a request: scripts of filters and hooks that are asked with it change nothing for good. */
export function aside<T>(context: WriteContext, ask: (asking: WriteContext) => Promise<T>): Promise<T> {
  const asking = { ...context, survivable: false, rehearsed: true };
  return context.unitOfWork.savepoint(() => ask(asking), { keep: false });
}
