import {
  BadRequestError,
  InternalServerError,
  ResourceError,
  ServiceUnavailableError,
} from '#errors/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';
import {
  ScriptLimitError,
  type ScriptPosition,
  ScriptSyntaxError,
  ScriptThrownError,
} from './javascript/index.ts';

/**
 * What a script itself ended with: `throw {code, message, detail}` gives that status and detail, a code that
 * cannot be a status 500 with the code in the detail, anything else 500 with the engine's text.
 */
export class ScriptError extends ResourceError {
  override readonly name = 'ScriptError';
  /** Where it was thrown; only when debug information is on. */
  readonly position: ScriptPosition | undefined;

  /** @param label what the script is for, such as `user onCreate`; undefined for one that a caller sent */
  constructor(error: ScriptThrownError, debugInfo: boolean, label?: string, place: JsonObject | null = null) {
    const { code, message, detail = place } = thrownFacts(error, label);
    // A status was chosen; everything else is a mistake, and the log tells where.
    const cause = code === undefined ? { cause: error } : {};
    super(code ?? 500, message, { ...cause, ...(detail === null ? {} : { detail }) });
    this.position = debugInfo ? error.position : undefined;
  }

  /** The same for who may mend the script; an error whose status the script has chosen stays as it was written. */
  withPlace(hook: string): ScriptError {
    const error = this.cause;
    if (!(error instanceof ScriptThrownError) || error.position === undefined) return this;
    const { fileName: script, line, column } = error.position;
    return new ScriptError(error, this.position !== undefined, hook, { hook, script, line, column });
  }
}

/** The script does not compile, so nobody can run it; the message is the compiler's. */
export class ScriptInactiveError extends ServiceUnavailableError {
  /** The same for who may mend the script. */
  withPlace(hook: string): ScriptInactiveError {
    const error = this.cause;
    if (!(error instanceof ScriptSyntaxError)) return this;
    const { fileName: script, line, column } = error;
    return new ScriptInactiveError(this.message, {
      id: 'SCRIPT_NOT_COMPILED',
      detail: { hook, script, line, column },
      cause: error,
    });
  }
}

function thrownFacts(error: ScriptThrownError, label: string | undefined) {
  const unsaid = label === undefined ? error.message : `${label} script encountered exception`;
  const { thrown } = error;
  const { code, message, detail } = isObject(thrown) ? thrown : {};
  if (typeof code !== 'number' || !Number.isInteger(code)) {
    return { code: undefined, message: explained(error.message) };
  }
  const said = typeof message === 'string' ? message : unsaid;
  // A script that throws has changed nothing, so a code of success or of a redirect is not taken.
  if (code >= 100 && code < 1_000)
    return { code: code < 400 ? 500 : code, message: said, detail: detail ?? null };
  return { code: 500, message: said, detail: { ...(isObject(detail) ? detail : {}), code } };
}

const NO_JAVA = 'There is no Java here, only JavaScript and what is bound';

/** What to say of names that scripts of the field count on, and that nothing here has. */
const MISSING: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    'java javax org com sun net Packages JavaImporter JavaAdapter importPackage importClass'
      .split(' ')
      .map((name) => [name, NO_JAVA]),
  ),
  ResourcePath: `${NO_JAVA}; a resource path is a text, its parts are path.split('/')`,
  DateUtil: `${NO_JAVA}; times are texts of new Date().toISOString()`,
  JsonValue: `${NO_JAVA}; values are objects and arrays of JavaScript themselves`,
  JsonPointer: `${NO_JAVA}; members are read by their names, as in object.name[0]`,
  JsonPatch: `${NO_JAVA}; a patch is a list of operations for svc.patch`,
  System: `${NO_JAVA}; the time is Date.now(), and identityServer.getProperty reads properties`,
  HashMap: `${NO_JAVA}; write {}`,
  ArrayList: `${NO_JAVA}; write []`,
  openidm:
    'The binding is svc here: svc.read, svc.query, svc.create, svc.update, svc.patch, svc.delete, svc.action',
  readFile: 'Scripts read no files; require() takes modules, and script.json has values for all scripts',
  readUrl: 'Scripts open no connections; svc.action calls resources that do',
  print: 'Write console.log or logger.info',
  println: 'Write console.log or logger.info',
};

/** What to write instead of a name that scripts of the field have, and no script here. */
export function insteadOfName(name: string): string | undefined {
  return Object.hasOwn(MISSING, name) ? MISSING[name] : undefined;
}

const UNKNOWN_NAME =
  /^(?:ReferenceError: '(\w+)' is not defined|No such property: (\w+) for class: Script\d)/;

function explained(message: string): string {
  const [, inJavaScript, inGroovy] = UNKNOWN_NAME.exec(message) ?? [];
  const name = inJavaScript ?? inGroovy;
  const instead = name === undefined ? undefined : insteadOfName(name);
  return instead === undefined ? message : `${message}. ${instead}`;
}

/**
 * What the caller sees of a failed run.
 *
 * @param label what the script is for, @param name what it is called; undefined for one that a caller sent
 */
export function runFailure(error: unknown, debugInfo: boolean, label?: string, name?: string): unknown {
  if (error instanceof ScriptSyntaxError) {
    // The engine refuses a little that the parser takes.
    if (name === undefined) return compileFailure(error, debugInfo);
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
  const { message, fileName, line, column } = error;
  const own = /@ line \d/.test(message) ? '' : ` (line ${line}, column ${column})`;
  return new BadRequestError(`${message}${debugInfo ? ` (${fileName}#${line})` : own}`, { cause: error });
}
