import { ForbiddenError, ResourceError } from '#errors/index.ts';
import { type Context, type Request, type RequestSink, type Router, rootContext } from '#resource/index.ts';
import type { AccessRules } from '#security/index.ts';

export interface MayListenOptions {
  readonly access: AccessRules;
  readonly router: Router;
  /** Where requests come in, for what only a script can say. */
  readonly entrance: RequestSink;
}

/**
 * Whether a caller may ask for something: by the rules alone where they are data, else by asking. What a script hides, by
 * whatever error, is then not told from what is not there.
 */
export function mayAsk({ access, router, entrance }: MayListenOptions) {
  return async (context: Context, request: Request): Promise<boolean> => {
    const isScripted = router.judgesByScript([request]);
    try {
      if (!isScripted) return await access.grants(context, request, (...asked) => router.handle(...asked));
      await entrance.handle(rootContext(context), request);
      return true;
    } catch (error) {
      if (error instanceof ForbiddenError) return false;
      if (isScripted && error instanceof ResourceError && error.code < 500) return false;
      throw error;
    }
  };
}
