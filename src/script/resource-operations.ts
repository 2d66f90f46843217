import { BadRequestError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import {
  type Connection,
  parseFields,
  parsePatch,
  parseQueryParameters,
  refuseUnknownParameter,
  resourceBody,
} from '#resource/index.ts';

/**
 * `svc.create` and its like, for one run of a script.
 *
 * @param inContext for a call that names another context than the script's: that of an outer link of its chain
 */
export function resourceOperations(
  connection: Connection,
  inContext: (link: string) => Connection = () => connection,
): Record<string, (args: JsonValue[]) => Promise<JsonValue>> {
  const choose = (link: JsonValue | undefined) => (typeof link === 'string' ? inContext(link) : connection);
  return {
    'svc.create': async ([path, id, content, params, fields, link]) =>
      resourceBody(
        await choose(link).create(
          String(path),
          textOrNull(id),
          content as JsonObject,
          callOptions(params, fields),
        ),
      ),
    'svc.read': async ([path, params, fields, link]) =>
      resourceBody(await choose(link).read(String(path), callOptions(params, fields))),
    'svc.update': async ([path, revision, content, params, fields, link]) =>
      resourceBody(
        await choose(link).update(
          String(path),
          textOrNull(revision),
          content as JsonObject,
          callOptions(params, fields),
        ),
      ),
    'svc.patch': async ([path, revision, operations, params, fields, link]) =>
      resourceBody(
        await choose(link).patch(
          String(path),
          textOrNull(revision),
          parsePatch(operations ?? null),
          callOptions(params, fields),
        ),
      ),
    'svc.delete': async ([path, revision, params, fields, link]) =>
      resourceBody(
        await choose(link).delete(String(path), textOrNull(revision), callOptions(params, fields)),
      ),
    'svc.action': async ([path, action, content, params, fields, link]) =>
      choose(link).action(String(path), String(action), content ?? null, callOptions(params, fields)),
    'svc.query': async ([path, params, fields, link]) => query(choose(link), String(path), params, fields),
  };
}

/** Names of a query's parameters, which are compared ignoring case. */
const QUERY_PARAMETERS = new Map(
  [
    '_queryId',
    '_queryExpression',
    '_queryFilter',
    '_sortKeys',
    '_fields',
    '_pageSize',
    '_pagedResultsOffset',
    '_pagedResultsCookie',
    '_totalPagedResultsPolicy',
  ].map((name) => [name.toLowerCase(), name]),
);

async function query(
  connection: Connection,
  path: string,
  params: JsonValue | undefined,
  fields: JsonValue | undefined,
): Promise<JsonValue> {
  const reserved: Record<string, string> = {};
  const extra: JsonObject = {};
  for (const [name, value] of Object.entries(isObject(params) ? params : {})) {
    const known = QUERY_PARAMETERS.get(name.toLowerCase());
    if (known === undefined) extra[name] = value;
    else if (value !== null) reserved[known] = Array.isArray(value) ? value.join(',') : (value as string);
  }
  const { _fields, ...given } = reserved;
  const isEmpty = !Array.isArray(fields) || fields.length === 0;
  const page = await connection.query(path, {
    ...callOptions(extra, isEmpty ? _fields?.split(',') : fields),
    ...parseQueryParameters(given),
  });
  return {
    result: page.result.map(resourceBody),
    resultCount: page.result.length,
    pagedResultsCookie: page.pagedResultsCookie,
    totalPagedResults: page.totalPagedResults,
    totalPagedResultsPolicy: page.totalPagedResultsPolicy,
    ...(page.warnings === undefined ? {} : { warnings: [...page.warnings] }),
  };
}

/** A rehearsal in words that are none must not become the real thing. */
function isTrue(name: string, value: JsonValue): boolean {
  if (/^(?:true|false)$/i.test(String(value))) return String(value).toLowerCase() === 'true';
  throw new BadRequestError(`'${name}' must be true or false, not '${value}'`, {
    id: 'HTTP_BAD_DRY_RUN',
    field: name,
  });
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
    refuseUnknownParameter(name);
    if (name.toLowerCase() === '_dryrun') dryRun = isTrue(name, value);
    else parameters[name] = String(value);
  }
  return {
    parameters,
    ...(dryRun ? { dryRun } : {}),
    ...(Array.isArray(fields) ? { fields: parseFields(fields.map(String)) } : {}),
  };
}

/** An id or a revision, which scripts may also have as a number. */
function textOrNull(given: JsonValue | undefined): string | null {
  return given === undefined || given === null ? null : String(given);
}
