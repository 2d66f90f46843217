import {
  BadRequestError,
  InternalServerError,
  ResourceError,
  ServiceUnavailableError,
} from '#errors/index.ts';
import { isObject } from '#json/index.ts';
import {
  ScriptLimitError,
  type ScriptPosition,
  ScriptSyntaxError,
  ScriptThrownError,
} from './javascript/index.ts';

/**
 * What a script itself ended with: `throw {code, message, detail}` gives that status and detail, anything else 500
 * with the engine's text.
 */
export class ScriptError extends ResourceError {
  override readonly name = 'ScriptError';
  /** Where it was thrown; only when debug information is on. */
  readonly position: ScriptPosition | undefined;

  /** @param label what the script is for, such as `user onCreate`; undefined for one that a caller sent */
  constructor(error: ScriptThrownError, debugInfo: boolean, label?: string) {
    const { code, message, detail } = thrownFacts(error, label);
    // A status was chosen; everything else is a mistake, and the log tells where.
    const cause = code === undefined ? { cause: error } : {};
    super(code ?? 500, message, { ...cause, ...(detail === null ? {} : { detail }) });
    this.position = debugInfo ? error.position : undefined;
  }
}

/** The script does not compile, so nobody can run it; the message is the compiler's. */
export class ScriptInactiveError extends ServiceUnavailableError {}

function thrownFacts(error: ScriptThrownError, label: string | undefined) {
  const unsaid = label === undefined ? error.message : `${label} script encountered exception`;
  const { thrown } = error;
  const { code, message, detail } = isObject(thrown) ? thrown : {};
  if (typeof code !== 'number' || !Number.isInteger(code)) {
    return { code: undefined, message: explained(error.message), detail: null };
  }
  return {
    code,
    message: typeof message === 'string' ? message : unsaid,
    detail: detail ?? null,
  };
}

/** Names under which older engines let scripts reach Java. */
const JAVA =
  /^ReferenceError: '(?:java|javax|Packages|JavaImporter|JavaAdapter|importPackage|importClass)' is not defined$/;

function explained(message: string): string {
  return JAVA.test(message)
    ? `${message}. There is no Java here, only JavaScript and what is bound`
    : message;
}

/**
 * What the caller sees of a failed run.
 *
 * @param label what the script is for, @param name what it is called; undefined for one that a caller sent
 */
export function runFailure(error: unknown, debugInfo: boolean, label?: string, name?: string): unknown {
  if (error instanceof ScriptSyntaxError) {
    const { fileName, line } = error;
    return new ScriptInactiveError(`Script '${fileName}' does not compile: ${error.message} (line ${line})`, {
      id: 'SCRIPT_NOT_COMPILED',
      cause: error,
    });
  }
  if (error instanceof ScriptLimitError) {
    const message = name === undefined ? error.message : error.messageAbout(name);
    return new InternalServerError(message, { cause: error });
  }
  if (!(error instanceof ScriptThrownError)) return error;
  return error.resourceError ?? new ScriptError(error, debugInfo, label);
}

/** What the caller sees of a source that does not compile. */
export function compileFailure(error: unknown, debugInfo: boolean): unknown {
  if (!(error instanceof ScriptSyntaxError)) return error;
  const where = debugInfo ? ` (${error.fileName}#${error.line})` : '';
  return new BadRequestError(`${error.message}${where}`, { cause: error });
}
