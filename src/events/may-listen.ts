import { type ConfigStore, routerConfig } from '#config/index.ts';
import { ForbiddenError, ResourceError } from '#errors/index.ts';
import { type Context, type Request, type RequestSink, type Router, rootContext } from '#resource/index.ts';
import type { AccessRules } from '#security/index.ts';

export interface MayListenOptions {
  readonly access: AccessRules;
  readonly config: ConfigStore;
  readonly router: Router;
  /** Where requests come in, for what only a script can say. */
  readonly entrance: RequestSink;
}

/** Whether a caller may ask for something: by the rules alone where that says it, else by asking. */
export function mayAsk({ access, config, router, entrance }: MayListenOptions) {
  return async (context: Context, request: Request): Promise<boolean> => {
    const isScripted = access.needsScript(request) || config.get(routerConfig).filters.length > 0;
    try {
      if (!isScripted) return await access.grants(context, request, (...asked) => router.handle(...asked));
      await entrance.handle(rootContext(context), request);
      return true;
    } catch (error) {
      if (error instanceof ForbiddenError) return false;
      // It was let in, and then there was nothing, or something else was wrong with it.
      if (isScripted && isClientError(error)) return true;
      throw error;
    }
  };
}

function isClientError(error: unknown): boolean {
  return error instanceof ResourceError && (error.code === 404 || error.code === 400);
}
