import { contextData, isWrite, type RequestSink, type Router } from '#resource/index.ts';
import type { ScriptThreads } from '#script/index.ts';

/**
 * Requests that may run a script go to a script thread, all others are handled here.
 *
 * @param settled resolves when what a thread has changed of the configuration is in force here, too
 */
export function inTheRightThread(
  router: Router,
  threads: ScriptThreads,
  settled: () => Promise<void> = () => Promise.resolve(),
): RequestSink {
  return {
    async handle(context, request) {
      if (!router.runsScripts(request)) return router.handle(context, request);
      const answer = await threads.run({
        kind: 'request',
        payload: { context: contextData(context), request },
        repeatable: !isWrite(request),
      });
      await settled();
      return answer as Awaited<ReturnType<RequestSink['handle']>>;
    },
  };
}
