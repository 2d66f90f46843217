import { databaseWait } from '#database/index.ts';
import {
  type ContextData,
  contextData,
  type Filter,
  isWrite,
  lineOf,
  type Request,
  type Router,
} from '#resource/index.ts';
import { type ScriptWork, workKind } from '#script/index.ts';

export const REQUEST = workKind<
  {
    readonly context: ContextData;
    readonly request: Request;
    /** How long it may wait for the database there. */
    readonly waitMs?: number | undefined;
  },
  Awaited<ReturnType<Filter>>
>('request');

/**
 * Requests that may run a script go to a script thread, all others are handled here.
 *
 * @param settled resolves when what a thread has changed of the configuration is in force here, too
 */
export function inRightThread(
  router: Router,
  threads: ScriptWork,
  settled: () => Promise<void> = () => Promise.resolve(),
): Filter {
  return async (context, request, next) => {
    if (!router.runsScripts(request)) return next(context, request);
    const caller = lineOf(context);
    const answer = await threads.run({
      kind: REQUEST,
      payload: { context: contextData(context), request, waitMs: databaseWait()?.leftMs },
      repeatable: !isWrite(request),
      ...(caller === undefined ? {} : { caller }),
      ...(context.awaited === undefined ? {} : { signal: context.awaited }),
      ...(context.renew === undefined ? {} : { renew: context.renew }),
    });
    await settled();
    return answer;
  };
}
