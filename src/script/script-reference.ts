import { BadRequestError, didYouMean } from '#errors/index.ts';
import { firstOf, isObject, type JsonObject, type JsonValue } from '#json/index.ts';

export type ScriptLanguage = 'javascript' | 'groovy';

/** A script as configuration and requests name it: inline text, a file of the sources, or a registered name. */
export interface ScriptReference {
  readonly language: ScriptLanguage;
  readonly source?: string;
  readonly file?: string;
  readonly name?: string;
  /** A label; a changed one forces a new compilation. */
  readonly revision?: string;
  /** Script-level variables: `globals`, and every key of the reference that has no meaning of its own. */
  readonly globals: JsonObject;
  /** False: each resource call of the script is a unit of work of its own. */
  readonly transactional: boolean;
  readonly timeoutMs?: number;
}

const LANGUAGES: Readonly<Record<string, ScriptLanguage>> = {
  'text/javascript': 'javascript',
  'application/javascript': 'javascript',
  javascript: 'javascript',
  ecmascript: 'javascript',
  groovy: 'groovy',
};

/** Keys of a reference that are about the script and not variables of it. */
export const DESCRIPTOR_KEYS: ReadonlySet<string> = new Set([
  'name',
  'file',
  'source',
  'type',
  'revision',
  'visibility',
  'globals',
  'auto-detect',
]);

/** `$schema` is there for the editor of the file. */
const CONTROL_KEYS: ReadonlySet<string> = new Set([
  ...DESCRIPTOR_KEYS,
  'transactional',
  'timeout',
  '$schema',
]);

/**
 * Reads a script reference of the configuration. Keys that begin with `_` are commented out; all other keys
 * without a meaning become variables of the script.
 *
 * @throws BadRequestError when it does not say exactly one of `source`, `file` and `name`, or names no known type
 */
export function parseScriptReference(json: JsonValue | undefined, field = ''): ScriptReference {
  if (!isObject(json)) throw refuse(field, 'A script reference must be an object');
  const ways = (['source', 'file', 'name'] as const).filter((key) => json[key] !== undefined);
  if (ways.length !== 1) {
    throw refuse(
      field,
      ways.length === 0
        ? 'A script reference needs one of source, file and name'
        : `A script reference cannot have both ${ways.join(' and ')}`,
    );
  }
  const way = firstOf(ways);
  const text = json[way];
  if (typeof text !== 'string') throw refuse(`${field}/${way}`, `The ${way} of a script must be a string`);
  // Scripts of the field may ask for the file that they were configured as.
  const globals: JsonObject = way === 'file' ? { file: text } : {};
  if (isObject(json['globals'])) Object.assign(globals, json['globals']);
  for (const [key, value] of Object.entries(json)) {
    if (!CONTROL_KEYS.has(key) && !key.startsWith('_')) globals[key] = value;
  }
  const timeout = json['timeout'];
  if (timeout !== undefined && (typeof timeout !== 'number' || !(timeout > 0))) {
    throw refuse(`${field}/timeout`, `The timeout of a script must be a positive number of milliseconds`);
  }
  return {
    language: languageOf(json['type'], way, text, field),
    [way]: text,
    ...(typeof json['revision'] === 'string' ? { revision: json['revision'] } : {}),
    globals,
    transactional: json['transactional'] !== false,
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
  };
}

function languageOf(type: JsonValue | undefined, way: string, text: string, field: string): ScriptLanguage {
  if (type === undefined || type === null) {
    if (way !== 'source') return text.endsWith('.groovy') ? 'groovy' : 'javascript';
    throw refuse(`${field}/type`, 'A script with a source needs a type', "Such as 'text/javascript'");
  }
  const language = typeof type === 'string' ? LANGUAGES[type.toLowerCase()] : undefined;
  if (language !== undefined) return language;
  throw refuse(
    `${field}/type`,
    `Unknown script type ${JSON.stringify(type)}`,
    (typeof type === 'string' ? didYouMean(type, Object.keys(LANGUAGES)) : undefined) ??
      "Use 'text/javascript' or 'groovy'",
  );
}

function refuse(field: string, message: string, hint?: string): BadRequestError {
  return new BadRequestError(message, {
    id: 'SCRIPT_BAD_REFERENCE',
    ...(field === '' ? {} : { field }),
    ...(hint === undefined ? {} : { hint }),
  });
}
