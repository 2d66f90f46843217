import { errorIdOf, InternalServerError, ResourceError } from '#errors/index.ts';
import type { Scripts } from '#script/index.ts';

/**
 * Scripts as types run them. One that is not there is a mistake of the configuration: the caller, who asked for an
 * object, must not be told that something was not found.
 */
export function hookScripts(scripts: Scripts): Scripts {
  return {
    compile: (reference) => scripts.compile(reference),
    evaluate: (context, call) =>
      scripts.evaluate(context, call).catch((error: unknown) => {
        throw isMissing(error) ? missing(error, call.label) : error;
      }),
  };
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
