import type { Request, RouteHandler, Router } from '#resource/index.ts';

/**
 * What newer servers of the field call `internal/role` and `internal/user` is `repo/internal/…` here. It is asked for
 * there, as the same caller, so that whatever guards it guards it by both names.
 */
export function internalObjects(router: Pick<Router, 'handle' | 'runsScripts'>): RouteHandler {
  const there = ({ dryRun: _, ...request }: Request) => ({ ...request, path: ['repo', ...request.path] });
  return {
    envelopes: 'judges',
    handle: (context, request) => router.handle(context, there(request)),
    runsScripts: (request) => router.runsScripts(there(request)),
  };
}
