import { type Context, contextData, type Filter, isWrite, type Router } from '#resource/index.ts';
import type { ScriptThreads } from '#script/index.ts';

/**
 * Requests that may run a script go to a script thread, all others are handled here.
 *
 * @param settled resolves when what a thread has changed of the configuration is in force here, too
 */
export function inRightThread(
  router: Router,
  threads: ScriptThreads,
  settled: () => Promise<void> = () => Promise.resolve(),
): Filter {
  return async (context, request, next) => {
    if (!router.runsScripts(request)) return next(context, request);
    const answer = await threads.run({
      kind: 'request',
      payload: { context: contextData(context), request },
      repeatable: !isWrite(request),
      ...(context.client.isExternal ? { caller: callerOf(context) } : {}),
      ...(context.renew === undefined ? {} : { renew: context.renew }),
    });
    await settled();
    return answer as Awaited<ReturnType<Filter>>;
  };
}

function callerOf({ security: { authorization } }: Context): string {
  return `${authorization.component}/${authorization.id}`;
}
