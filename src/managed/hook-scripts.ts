import { errorIdOf, InternalServerError, ResourceError } from '#errors/index.ts';
import { type Context, isAdministrator } from '#resource/index.ts';
import { ScriptError, ScriptInactiveError, type Scripts } from '#script/index.ts';

/**
 * Scripts as types run them. One that is not there is a mistake of the configuration: the caller, who asked for an
 * object, must not be told that something was not found. Who may mend a mistake is told where it is.
 */
export function hookScripts(scripts: Scripts): Scripts {
  return {
    compile: (reference) => scripts.compile(reference),
    diagnose: (reference, scope) => scripts.diagnose(reference, scope),
    evaluate: (context, call) =>
      scripts.evaluate(context, call).catch((error: unknown) => {
        if (isMissing(error)) throw missing(error, call.label);
        const isOfScript = error instanceof ScriptError || error instanceof ScriptInactiveError;
        throw isOfScript && mayKnow(context) ? error.withPlace(call.label ?? 'a hook') : error;
      }),
  };
}

function mayKnow({ security }: Context): boolean {
  return isAdministrator(security);
}

function isMissing(error: unknown): error is ResourceError {
  return error instanceof ResourceError && errorIdOf(error) === 'SCRIPT_FILE_NOT_FOUND';
}

function missing(error: ResourceError, hook = 'a hook'): InternalServerError {
  return new InternalServerError(`'${hook}' cannot run: ${error.message}`, {
    id: 'HOOK_SCRIPT_NOT_FOUND',
    hint: 'svc config-check names all scripts that are missing',
    detail: { hook },
    cause: error,
  });
}
