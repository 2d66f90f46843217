import { type Context, contextData, isWrite, type RequestSink, type Router } from '#resource/index.ts';
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
  const handOver: RequestSink['handle'] = async (context, request) => {
    const answer = await threads.run({
      kind: 'request',
      payload: { context: contextData(context), request },
      repeatable: !isWrite(request),
      ...(context.client.isExternal ? { caller: callerOf(context) } : {}),
    });
    await settled();
    return answer as Awaited<ReturnType<RequestSink['handle']>>;
  };
  return {
    handle: (context, request) =>
      router.runsScripts(request) ? handOver(context, request) : router.handle(context, request),
  };
}

function callerOf({ security: { authorization } }: Context): string {
  return `${authorization.component}/${authorization.id}`;
}
