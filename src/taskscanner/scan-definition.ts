import { BadRequestError, factsOf, ResourceError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue, parsePointer } from '#json/index.ts';
import { parsePath, parseQueryFilter, parseQueryParameters, parseSortKeys } from '#resource/index.ts';
import { parseScriptReference } from '#script/index.ts';
import { parseDuration } from '#time/index.ts';
import { expandMacros } from './scan-macro.ts';

/** The `invokeService` of schedules that scan. */
export const TASKSCANNER_SERVICE = 'taskscanner';

/** What a run is about. */
export interface RunDefinition {
  /** Resource path of the object set. */
  readonly object: string;
  readonly query: ScanQuery;
  /** Null: all that are found. */
  readonly maxRecords: number | null;
  readonly threads: number;
}

/** What a scan does: plain data, read and checked. */
export interface ScanDefinition extends RunDefinition {
  /** JSON pointers, as they were given. */
  readonly started: string;
  readonly completed: string;
  /** The time after which a started object is taken again; null: never. */
  readonly recovery: string | null;
  readonly wait: boolean;
  /** Whether writing the two pointers tells the synchronization. */
  readonly synchronize: boolean;
  /** The script reference as it was given. */
  readonly script: JsonObject;
}

/**
 * A definition as it is stored: its secrets are encrypted at the JSON pointers of `sealed`, which is absent where it
 * has none.
 */
export interface StoredDefinition extends ScanDefinition {
  readonly sealed?: readonly string[];
}

/** The texts may hold macros. */
export interface ScanQuery {
  readonly queryFilter: string | null;
  readonly queryId: string | null;
  readonly queryExpression: string | null;
  readonly sortKeys: string | null;
  /** Every other key of `scan`, with dots between the levels: `condition.before`. */
  readonly parameters: Readonly<Record<string, string>>;
}

const DEFAULT_THREADS = 10;
const MAX_THREADS = 1_000;
const QUERY_KEYS = ['queryFilter', 'queryId', 'queryExpression'] as const;

/**
 * Reads the `invokeContext` of a scan.
 *
 * @throws BadRequestError `SCAN_INVALID` with the key that is missing or malformed
 */
export function parseScanDefinition(invokeContext: JsonValue | undefined): ScanDefinition {
  if (!isObject(invokeContext)) throw refuse('', 'The invokeContext of a scan must be an object');
  const { scan, task, maxRecords, numberOfThreads, waitForCompletion } = invokeContext;
  if (!isObject(scan)) throw refuse('/scan', "The invokeContext of a scan needs an object 'scan'");
  if (!isObject(task)) throw refuse('/task', "The invokeContext of a scan needs an object 'task'");
  if (!isObject(task['script']))
    throw refuse('/task/script', "A scan needs a script reference 'task.script'");
  at('/task/script', () => parseScriptReference(task['script'], '/task/script'));
  const flat = flatten(scan);
  const object = text(flat, 'object');
  at('/scan/object', () => parsePath(object));
  const started = pointer(flat, 'taskState.started');
  const completed = pointer(flat, 'taskState.completed');
  if (started === completed) {
    throw refuse('/scan/taskState', `'${started}' cannot be both the started and the completed pointer`);
  }
  return {
    object,
    query: queryOf(flat),
    started,
    completed,
    recovery: recoveryOf(flat.get('recovery.timeout')),
    maxRecords: maxRecords === undefined || maxRecords === null ? null : count('maxRecords', maxRecords, 0),
    threads: Math.min(
      numberOfThreads === undefined ? DEFAULT_THREADS : count('numberOfThreads', numberOfThreads, 1),
      MAX_THREADS,
    ),
    wait: waitForCompletion === undefined ? false : flag('/waitForCompletion', waitForCompletion),
    synchronize:
      flat.get('taskState.synchronize') === undefined
        ? true
        : flag('/scan/taskState/synchronize', flat.get('taskState.synchronize')!),
    script: task['script'],
  };
}

/** The same query with its macros expanded. @param now epoch ms */
export function expandQuery(query: ScanQuery, now: number): ScanQuery {
  const expand = (value: string | null) => (value === null ? null : expandMacros(value, now));
  return {
    queryFilter: expand(query.queryFilter),
    queryId: expand(query.queryId),
    queryExpression: expand(query.queryExpression),
    sortKeys: query.sortKeys,
    parameters: Object.fromEntries(
      Object.entries(query.parameters).map(([name, value]) => [name, expandMacros(value, now)]),
    ),
  };
}

/** Reads `true`, `false`, `"true"` and `"false"`. */
export function flag(field: string, value: JsonValue): boolean {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw refuse(field, `${JSON.stringify(value)} is neither true nor false`);
}

type Flat = ReadonlyMap<string, JsonValue>;

/** One level, with dots between the names of the levels. */
function flatten(object: JsonObject, prefix = ''): Map<string, JsonValue> {
  const flat = new Map<string, JsonValue>();
  for (const [key, value] of Object.entries(object)) {
    if (!isObject(value)) flat.set(prefix + key, value);
    else for (const [inner, each] of flatten(value, `${prefix}${key}.`)) flat.set(inner, each);
  }
  return flat;
}

function queryOf(flat: Flat): ScanQuery {
  const special = new Map(QUERY_KEYS.map((key) => [key, flat.get(`_${key}`) ?? flat.get(key)]));
  const part = (key: (typeof QUERY_KEYS)[number]) => {
    const value = special.get(key);
    if (value === undefined || value === null) return null;
    if (typeof value !== 'string') throw refuse(`/scan/_${key}`, `The ${key} of a scan must be a string`);
    return value;
  };
  const sortKeys = flat.get('_sortKeys');
  const queryId = part('queryId');
  const queryExpression = part('queryExpression');
  const query = {
    // A scan that says nothing of what it looks for looks at all.
    queryFilter: part('queryFilter') ?? (queryId === null && queryExpression === null ? 'true' : null),
    queryId,
    queryExpression,
    sortKeys: typeof sortKeys === 'string' ? sortKeys : null,
    parameters: Object.fromEntries(
      [...flat]
        .filter(([key]) => !isSpecial(key))
        .map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
    ),
  };
  at('/scan', () => {
    const probe = expandQuery(query, Date.now());
    parseQueryParameters({
      ...(probe.queryFilter === null ? {} : { _queryFilter: probe.queryFilter }),
      ...(probe.queryId === null ? {} : { _queryId: probe.queryId }),
      ...(probe.queryExpression === null ? {} : { _queryExpression: probe.queryExpression }),
    });
    if (probe.queryFilter !== null) parseQueryFilter(probe.queryFilter);
    if (probe.sortKeys !== null) parseSortKeys(probe.sortKeys);
  });
  return query;
}

function isSpecial(key: string): boolean {
  return (
    key === 'object' ||
    key === '_fields' ||
    key === '_sortKeys' ||
    key === 'recovery.timeout' ||
    key === 'taskState.synchronize' ||
    QUERY_KEYS.some((name) => key === name || key === `_${name}`)
  );
}

function text(flat: Flat, key: string): string {
  const value = flat.get(key);
  const field = `/scan/${key.replaceAll('.', '/')}`;
  if (value === undefined || value === null) throw refuse(field, `A scan needs 'scan.${key}'`);
  if (typeof value !== 'string' || value.trim() === '') {
    throw refuse(field, `'scan.${key}' is ${JSON.stringify(value)}, not a text`);
  }
  return value;
}

function pointer(flat: Flat, key: string): string {
  const value = text(flat, key);
  const field = `/scan/${key.replaceAll('.', '/')}`;
  if (at(field, () => parsePointer(value)).length === 0) {
    throw refuse(field, `'scan.${key}' is '${value}', which names no field`);
  }
  return value;
}

function recoveryOf(value: JsonValue | undefined): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') {
    throw refuse('/scan/recovery/timeout', `'scan.recovery.timeout' is ${JSON.stringify(value)}, not a text`);
  }
  return at('/scan/recovery/timeout', () => parseDuration(value)).amount === 0 ? null : value;
}

function count(key: string, value: JsonValue, least: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  throw refuse(`/${key}`, `'${key}' is ${JSON.stringify(value)}, not an integer of at least ${least}`);
}

/** What another reader refuses is told with the field it stands in. */
function at<T>(field: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ResourceError)) throw error;
    throw refuse(field, error.message, factsOf(error).hint);
  }
}

function refuse(field: string, message: string, hint?: string): BadRequestError {
  return new BadRequestError(message, {
    id: 'SCAN_INVALID',
    field: `/invokeContext${field}`,
    ...(hint === undefined ? {} : { hint }),
  });
}
