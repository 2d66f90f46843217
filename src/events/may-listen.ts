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
  const reads = mayRead({ entrance });
  return async (context: Context, request: Request): Promise<boolean> => {
    if (router.judgesByScript([request])) return reads(context, request);
    try {
      return await access.grants(context, request, (...asked) => router.handle(...asked));
    } catch (error) {
      if (error instanceof ForbiddenError) return false;
      throw error;
    }
  };
}

/** Whether a caller is answered. */
export function mayRead({ entrance }: Pick<MayListenOptions, 'entrance'>) {
  return async (context: Context, request: Request): Promise<boolean> => {
    try {
      await entrance.handle(rootContext(context), request);
      return true;
    } catch (error) {
      if (error instanceof ResourceError && error.code < 500) return false;
      throw error;
    }
  };
}
