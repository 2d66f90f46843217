import { type PropertySource, type Settings, substitute } from '#config/index.ts';
import type { Crypto } from '#crypto/index.ts';
import { BadRequestError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue, parsePointer } from '#json/index.ts';
import type { LogLevel } from '#observability/index.ts';
import {
  Connection,
  type Context,
  parsePatch,
  parseQueryParameters,
  type RequestSink,
  resourceBody,
} from '#resource/index.ts';
import type { ScriptSources } from './script-sources.ts';

export interface HostOptions {
  readonly context: Context;
  readonly resources: RequestSink;
  readonly crypto: Crypto;
  readonly sources: ScriptSources;
  readonly settings: Settings;
  readonly properties: PropertySource;
  readonly log: (level: LogLevel, message: string) => void;
}

export type Host = (operation: string, args: JsonValue[]) => Promise<JsonValue>;

/** What a script can reach outside its sandbox, and nothing else. */
export function hostOf(options: HostOptions): Host {
  const connection = new Connection(options.resources, options.context);
  const operations: Record<string, (args: JsonValue[]) => Promise<JsonValue> | JsonValue> = {
    ...resourceOperations(connection),
    ...cryptoOperations(options.crypto),
    ...loggers(options.log),
    'identityServer.getProperty': ([name, byDefault]) => {
      const value = options.properties.get(String(name));
      return value === undefined ? (byDefault ?? null) : substitute(value, options.properties).value;
    },
    'identityServer.getWorkingLocation': () => options.settings.workingLocation,
    'identityServer.getProjectLocation': () => options.settings.projectLocation,
    'identityServer.getInstallLocation': () => options.settings.installLocation,
    'require.resolve': async ([name]) => resolveModule(options.sources, String(name)),
  };
  return async (operation, args) => {
    const run = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
    if (run === undefined) {
      throw new BadRequestError(`Scripts have no function '${operation}'`, { id: 'SCRIPT_NO_FUNCTION' });
    }
    return run(args);
  };
}

const LEVELS: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error'];

function loggers(log: HostOptions['log']): Record<string, (args: JsonValue[]) => JsonValue> {
  const logger =
    (level: LogLevel) =>
    ([message]: JsonValue[]) => {
      log(level, String(message));
      return null;
    };
  return {
    'console.log': logger('info'),
    ...Object.fromEntries(LEVELS.map((level) => [`logger.${level}`, logger(level)])),
  };
}

function resourceOperations(
  connection: Connection,
): Record<string, (args: JsonValue[]) => Promise<JsonValue>> {
  return {
    'svc.create': async ([path, id, content, params, fields]) =>
      resourceBody(
        await connection.create(
          String(path),
          (id ?? null) as string | null,
          content as JsonObject,
          callOptions(params, fields),
        ),
      ),
    'svc.read': async ([path, params, fields]) =>
      resourceBody(await connection.read(String(path), callOptions(params, fields))),
    'svc.update': async ([path, revision, content, params, fields]) =>
      resourceBody(
        await connection.update(
          String(path),
          (revision ?? null) as string | null,
          content as JsonObject,
          callOptions(params, fields),
        ),
      ),
    'svc.patch': async ([path, revision, operations, params, fields]) =>
      resourceBody(
        await connection.patch(
          String(path),
          (revision ?? null) as string | null,
          parsePatch(operations ?? null),
          callOptions(params, fields),
        ),
      ),
    'svc.delete': async ([path, revision, params, fields]) =>
      resourceBody(
        await connection.delete(
          String(path),
          (revision ?? null) as string | null,
          callOptions(params, fields),
        ),
      ),
    'svc.action': async ([path, action, content, params, fields]) =>
      connection.action(String(path), String(action), content ?? null, callOptions(params, fields)),
    'svc.query': async ([path, params, fields]) => query(connection, String(path), params, fields),
  };
}

function cryptoOperations(
  crypto: Crypto,
): Record<string, (args: JsonValue[]) => Promise<JsonValue> | JsonValue> {
  const text = (value: JsonValue | undefined) => (typeof value === 'string' ? value : null);
  return {
    'svc.encrypt': ([value, cipher, alias]) => crypto.encrypt(value ?? null, text(cipher), text(alias)),
    'svc.decrypt': ([value]) => crypto.decrypt(value ?? null),
    'svc.hash': ([value, algorithm]) => crypto.hash(value ?? null, text(algorithm)),
    // Scripts of the field take any envelope for encrypted, and hash or encrypt again what is none.
    'svc.isEncrypted': ([value]) => crypto.isEncrypted(value ?? null) || crypto.isHashed(value ?? null),
    'svc.isHashed': ([value]) => crypto.isHashed(value ?? null),
    'svc.matches': ([plain, hashed]) => crypto.matches(String(plain), hashed ?? null),
  };
}

async function query(
  connection: Connection,
  path: string,
  params: JsonValue | undefined,
  fields: JsonValue | undefined,
): Promise<JsonValue> {
  const given = isObject(params) ? params : {};
  const { _fields, _sortKeys, ...others } = given;
  const reserved = Object.fromEntries(Object.entries(others).filter(([name]) => name.startsWith('_')));
  const extra = Object.fromEntries(Object.entries(others).filter(([name]) => !name.startsWith('_')));
  const sortKeys = Array.isArray(_sortKeys) ? _sortKeys.join(',') : _sortKeys;
  const result = await connection.query(path, {
    ...callOptions(extra, fields ?? fieldList(_fields)),
    ...parseQueryParameters({
      ...(reserved as Record<string, string>),
      ...(typeof sortKeys === 'string' ? { _sortKeys: sortKeys } : {}),
    }),
  });
  return {
    result: result.result.map(resourceBody),
    resultCount: result.result.length,
    pagedResultsCookie: result.pagedResultsCookie,
    totalPagedResults: result.totalPagedResults,
    totalPagedResultsPolicy: result.totalPagedResultsPolicy,
  };
}

function fieldList(fields: JsonValue | undefined): JsonValue | undefined {
  return typeof fields === 'string' ? fields.split(',') : fields;
}

/** Parameters become texts, as in a URL: numbers and booleans are written out, nulls dropped. */
function callOptions(params: JsonValue | undefined, fields: JsonValue | undefined) {
  const parameters: Record<string, string> = {};
  let dryRun = false;
  for (const [name, value] of Object.entries(isObject(params) ? params : {})) {
    if (value === null) continue;
    if (typeof value === 'object') {
      throw new BadRequestError(
        `The parameter '${name}' is an object or an array; only scalars are possible`,
        {
          id: 'SCRIPT_BAD_PARAMETER',
          field: name,
        },
      );
    }
    if (name === '_dryRun') dryRun = String(value) === 'true';
    else parameters[name] = String(value);
  }
  return {
    parameters,
    ...(dryRun ? { dryRun } : {}),
    ...(Array.isArray(fields) ? { fields: fields.map((field) => parsePointer(String(field))) } : {}),
  };
}

/** CommonJS look-up: the name as a path in the sources, `.js` added when missing. */
async function resolveModule(sources: ScriptSources, name: string): Promise<JsonValue> {
  const path = name.endsWith('.js') ? name : `${name}.js`;
  const { text } = await sources.get(path);
  return { id: path, source: text };
}
