import { BadRequestError, PayloadTooLargeError, toResourceError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import type { PatchOperation, Request } from '#resource/index.ts';
import { LIMITS } from './schema-answer.ts';
import { scimErrorBody, statusOf } from './scim-error.ts';

const SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:BulkResponse';
const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

export interface BulkOperation {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Such as `Users` or `Users/42`; the id may be that of another operation, `bulkId:x`. */
  readonly path: readonly string[];
  readonly bulkId: string | null;
  readonly revision: string | null;
  readonly data: JsonValue;
}

/** What one operation has made; undefined of one that was not tried. */
interface Outcome {
  readonly id?: string;
  readonly entry: JsonObject;
}

/** Does one operation, which has an id where it was about something. @throws what went wrong with it, and nothing of it is stored */
export type Perform = (
  request: Request,
) => Promise<{ readonly id: string; readonly location: string; readonly version: string | null }>;

/**
 * Does the operations of a bulk request (RFC 7644, 3.7) in their order, each after those whose ids it names. What fails leaves
 * nothing; all that went well is stored together.
 */
export async function performBulk(body: JsonValue, base: string, perform: Perform): Promise<JsonObject> {
  const { operations, failOnErrors } = readBulk(body);
  const outcomes = new Map<number, Outcome>();
  const byBulkId = new Map<string, number>();
  for (const [at, { bulkId }] of operations.entries()) {
    if (bulkId === null) continue;
    if (byBulkId.has(bulkId)) {
      throw new BadRequestError(`Two operations have the bulkId '${bulkId}'`, { id: 'SCIM_BAD_SYNTAX' });
    }
    byBulkId.set(bulkId, at);
  }
  const underWay = new Set<number>();
  let failures = 0;

  const enough = () => failOnErrors > 0 && failures >= failOnErrors;

  async function settle(at: number): Promise<void> {
    const operation = operations[at];
    if (operation === undefined || outcomes.has(at) || enough()) return;
    underWay.add(at);
    for (const named of namesIn(operation)) {
      const other = byBulkId.get(named);
      if (other !== undefined && !underWay.has(other)) await settle(other);
    }
    underWay.delete(at);
    if (enough()) return;
    const outcome = await attempt(operation);
    if (outcome.id === undefined) failures += 1;
    outcomes.set(at, outcome);
  }

  async function attempt(operation: BulkOperation): Promise<Outcome> {
    const { method, bulkId } = operation;
    const shown = { method, ...(bulkId === null ? {} : { bulkId }) };
    try {
      const { id, location, version } = await perform(requestOf(withIds(operation, idOf)));
      const status = method === 'POST' ? '201' : method === 'DELETE' ? '204' : '200';
      const tag = version === null || method === 'DELETE' ? {} : { version: `W/"${version}"` };
      return { id, entry: { ...shown, location, ...tag, status } };
    } catch (thrown) {
      const error = toResourceError(thrown);
      const { status } = statusOf(error);
      // What is wrong with the server is wrong with all of it.
      if (status >= 500) throw thrown;
      const path = operation.path.map(encodeURIComponent).join('/');
      const location = method === 'POST' ? {} : { location: `${base}/${path}` };
      return { entry: { ...shown, ...location, status: String(status), response: scimErrorBody(error) } };
    }
  }

  function idOf(named: string): string {
    const other = byBulkId.get(named);
    const id = other === undefined ? undefined : outcomes.get(other)?.id;
    if (id !== undefined) return id;
    throw new BadRequestError(`'bulkId:${named}' names no resource that this request has made`, {
      id: 'SCIM_BAD_VALUE',
      hint: 'A POST of the same request has that bulkId; two that name each other cannot both be first',
    });
  }

  for (const at of operations.keys()) await settle(at);
  const entries = [...outcomes.entries()].sort(([one], [other]) => one - other).map(([, { entry }]) => entry);
  return { schemas: [SCHEMA], Operations: entries };
}

function readBulk(body: JsonValue): {
  readonly operations: readonly BulkOperation[];
  readonly failOnErrors: number;
} {
  if (!isObject(body) || !Array.isArray(body['Operations'])) {
    throw new BadRequestError("A bulk request needs a list of 'Operations'", { id: 'SCIM_BAD_SYNTAX' });
  }
  const { Operations: operations, failOnErrors = 0 } = body;
  if (operations.length > LIMITS.operations) {
    throw new PayloadTooLargeError(
      `The request has ${operations.length} operations; ${LIMITS.operations} are allowed`,
      {
        id: 'SCIM_BULK_TOO_LONG',
        hint: 'Send several requests',
      },
    );
  }
  if (!Number.isSafeInteger(failOnErrors))
    throw new BadRequestError("'failOnErrors' is a whole number", { id: 'SCIM_BAD_SYNTAX' });
  return { operations: operations.map(readOperation), failOnErrors: Number(failOnErrors) };
}

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

function readOperation(given: JsonValue, at: number): BulkOperation {
  const fault = (what: string) => new BadRequestError(`Operation ${at} ${what}`, { id: 'SCIM_BAD_SYNTAX' });
  if (!isObject(given)) throw fault('is no object');
  const { method: verb = '', path = '', bulkId = null, version = null, data = null } = given;
  const method = METHODS.find((one) => one === String(verb).toUpperCase());
  if (method === undefined) throw fault(`has the method '${String(verb)}', not one of ${METHODS.join(', ')}`);
  if (typeof path !== 'string' || !/^\/[^/]+(?:\/[^/]+)?$/.test(path))
    throw fault(`has no path such as /Users/42`);
  if (bulkId !== null && typeof bulkId !== 'string') throw fault("has a 'bulkId' that is no text");
  if (method === 'POST' && bulkId === null) throw fault("is a POST without a 'bulkId'");
  return {
    method,
    path: path.slice(1).split('/').map(decoded),
    bulkId,
    revision: typeof version === 'string' ? (/^(?:W\/)?"(.*)"$/.exec(version)?.[1] ?? version) : null,
    data,
  };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new BadRequestError(`'${segment}' is no part of a path`, { id: 'SCIM_BAD_PATH' });
  }
}

const NAMED = /^bulkId:(.+)$/;

/** The operations whose ids this one names, in its path or its data. */
function namesIn({ path, data }: BulkOperation): string[] {
  const found: string[] = [];
  const look = (value: JsonValue): void => {
    if (typeof value === 'string') found.push(...(NAMED.exec(value)?.slice(1) ?? []));
    else if (Array.isArray(value)) value.forEach(look);
    else if (isObject(value)) Object.values(value).forEach(look);
  };
  look([...path]);
  look(data);
  return found;
}

function withIds(operation: BulkOperation, idOf: (named: string) => string): BulkOperation {
  const replaced = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') {
      const named = NAMED.exec(value)?.[1];
      return named === undefined ? value : idOf(named);
    }
    if (Array.isArray(value)) return value.map(replaced);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, replaced(inner)]));
  };
  return {
    ...operation,
    path: operation.path.map((one) => String(replaced(one))),
    data: replaced(operation.data),
  };
}

/** The same as a request to the resource itself. */
function requestOf({ method, path, revision, data }: BulkOperation): Request {
  const common = { path: ['scim', ...path], fields: [], parameters: {} };
  if (path.length !== (method === 'POST' ? 1 : 2)) {
    throw new BadRequestError(`A ${method} has no path such as '/${path.join('/')}'`, {
      id: 'SCIM_BAD_PATH',
    });
  }
  switch (method) {
    case 'POST':
      return { method: 'create', ...common, newResourceId: null, content: objectOf(data) };
    case 'PUT':
      return { method: 'update', ...common, revision, content: objectOf(data) };
    case 'PATCH':
      return { method: 'patch', ...common, revision, operations: readPatchBody(data) };
    case 'DELETE':
      return { method: 'delete', ...common, revision };
  }
}

function objectOf(data: JsonValue): JsonObject {
  if (isObject(data)) return data;
  throw new BadRequestError('A resource is expected', { id: 'SCIM_BAD_SYNTAX' });
}

const OPS = { add: 'add', replace: 'replace', remove: 'remove' } as const;

/**
 * The body of a PATCH: `{"schemas": […], "Operations": [{"op", "path", "value"}]}`, the names of operations whatever their case. The
 * path of one becomes the one token of its field.
 *
 * @throws BadRequestError `SCIM_BAD_SYNTAX`
 */
export function readPatchBody(body: JsonValue): PatchOperation[] {
  const operations = isObject(body) ? body['Operations'] : undefined;
  if (!Array.isArray(operations)) {
    throw new BadRequestError("A PATCH needs a list of 'Operations'", {
      id: 'SCIM_BAD_SYNTAX',
      hint: `Its schema is ${PATCH_SCHEMA}`,
    });
  }
  if (operations.length > LIMITS.operations) {
    throw new PayloadTooLargeError(
      `The patch has ${operations.length} operations; ${LIMITS.operations} are allowed`,
      {
        id: 'SCIM_PATCH_TOO_LONG',
      },
    );
  }
  return operations.map((given): PatchOperation => {
    if (!isObject(given)) throw new BadRequestError('An operation is no object', { id: 'SCIM_BAD_SYNTAX' });
    const { op = '', path = null, value } = given;
    const operation = Object.values(OPS).find((one) => one === String(op).toLowerCase());
    if (operation === undefined) {
      throw new BadRequestError(`'${String(op)}' is no operation of a PATCH`, {
        id: 'SCIM_BAD_SYNTAX',
        hint: 'One of add, remove, replace',
      });
    }
    if (path !== null && typeof path !== 'string')
      throw new BadRequestError('The path of an operation is a text', { id: 'SCIM_BAD_PATH' });
    const field = path === null || path === '' ? [] : [path];
    if (operation === 'remove') return { operation, field, ...(value === undefined ? {} : { value }) };
    if (value === undefined)
      throw new BadRequestError(`'${operation}' needs a value`, { id: 'SCIM_BAD_VALUE' });
    return { operation, field, value };
  });
}
