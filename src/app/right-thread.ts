import { contextData, isWrite, type RequestSink, type Router } from '#resource/index.ts';
import type { ScriptThreads } from '#script/index.ts';

/** Requests that may run a script go to a script thread, all others are handled here. */
export function inTheRightThread(router: Router, threads: ScriptThreads): RequestSink {
  return {
    async handle(context, request) {
      if (!router.runsScripts(request)) return router.handle(context, request);
      const answer = await threads.run({
        kind: 'request',
        payload: { context: contextData(context), request },
        repeatable: !isWrite(request),
      });
      return answer as Awaited<ReturnType<RequestSink['handle']>>;
    },
  };
}
