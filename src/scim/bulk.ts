import { setImmediate } from 'node:timers/promises';
import { BadRequestError, PayloadTooLargeError, ResourceError, toResourceError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { formatPath, type PatchOperation, type RefusedRequest, type Request } from '#resource/index.ts';
import { bulkIdIn, bulkIdsIn, inGroups, partResource } from './circles.ts';
import { memberIgnoringCase } from './content.ts';
import { revisionsIn } from './entity-tags.ts';
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

interface Done {
  readonly id: string;
  readonly location: string;
  readonly version: string | null;
}

interface BulkDone {
  readonly content: JsonObject;
  readonly refused: readonly RefusedRequest[];
}

const KINDS = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const;

/** Does one operation, which has an id where it was about something. @throws what went wrong with it, and nothing of it is stored */
export type Perform = (request: Request) => Promise<Done>;
export type Together = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Does the operations of a bulk request (RFC 7644, 3.7) in their order, each after those whose ids it names. What fails leaves
 * nothing; all that went well is stored together. Resources that name each other are made first and then say so, all of
 * them or none.
 *
 * @param together does several so that the failure of one leaves nothing of any
 * @param isAllOrNone the first failure is that of the request
 * @throws ResourceError with `isAllOrNone`, what is wrong with one of them
 */
export async function performBulk(
  body: JsonValue,
  base: string,
  {
    perform,
    together,
    isAllOrNone,
  }: { readonly perform: Perform; readonly together: Together; readonly isAllOrNone: boolean },
): Promise<BulkDone> {
  const { operations, failOnErrors } = readBulk(body);
  const refused: RefusedRequest[] = [];
  const outcomes = new Map<number, Outcome>();
  const byBulkId = new Map<string, number>();
  for (const [at, { bulkId }] of operations.entries()) {
    if (bulkId === null) continue;
    if (byBulkId.has(bulkId)) {
      throw new BadRequestError(`Two operations have the bulkId '${bulkId}'`, { id: 'SCIM_BAD_SYNTAX' });
    }
    byBulkId.set(bulkId, at);
  }
  const named = operations.map(({ path, data }) =>
    bulkIdsIn([...path, data]).flatMap((bulkId) => byBulkId.get(bulkId) ?? []),
  );
  let failures = 0;
  for (const group of inGroups(named)) {
    if (failOnErrors > 0 && failures >= failOnErrors) break;
    // Whatever else the thread has to do has its turn between two of them.
    await setImmediate();
    const made = await settle(group);
    for (const [at, outcome] of made) outcomes.set(at, outcome);
    failures += made.filter(([, { id }]) => id === undefined).length;
  }
  const entries = [...outcomes.entries()].sort(([one], [other]) => one - other).map(([, { entry }]) => entry);
  return { content: { schemas: [SCHEMA], Operations: entries }, refused };

  async function settle(group: readonly number[]): Promise<readonly (readonly [number, Outcome])[]> {
    const all = group.flatMap((at) => {
      const operation = operations[at];
      return operation === undefined ? [] : [{ at, operation }];
    });
    const [first] = all;
    const isCircle = all.length > 1 || (first !== undefined && named[first.at]?.includes(first.at) === true);
    if (isCircle && all.every(({ operation }) => operation.method === 'POST')) return settleCircle(all);
    const settled: [number, Outcome][] = [];
    for (const { at, operation } of all) settled.push([at, await attempt(operation)]);
    return settled;
  }

  /** Makes all of them without what only the others can be named by, and adds that. */
  async function settleCircle(
    all: readonly { readonly at: number; readonly operation: BulkOperation }[],
  ): Promise<readonly (readonly [number, Outcome])[]> {
    const made = new Map<number, string>();
    const idOfMade = (bulkId: string) => made.get(byBulkId.get(bulkId) ?? -1) ?? idOf(bulkId);
    let at = -1;
    try {
      return await together(async () => {
        const later = new Set(all.map(({ operation }) => operation.bulkId));
        const isLater = (bulkId: string) => later.has(bulkId);
        const parted = all.map((one) => ({
          ...one,
          ...partResource(objectOf(one.operation.data), isLater),
        }));
        for (const { at: own, operation, resource } of parted) {
          at = own;
          const { id } = await perform(requestOf(withIds({ ...operation, data: resource }, idOfMade)));
          made.set(own, id);
        }
        const settled: [number, Outcome][] = [];
        for (const { at: own, operation, later } of parted) {
          at = own;
          const path = [...operation.path, made.get(own) ?? ''];
          const change = { ...operation, method: 'PATCH', path, data: { Operations: later } } as const;
          settled.push([own, doneWith(operation, await perform(requestOf(withIds(change, idOfMade))))]);
        }
        return settled;
      });
    } catch (thrown) {
      const culprit = all.find((one) => one.at === at);
      if (isAllOrNone && culprit !== undefined) failedWith(culprit.operation, thrown);
      return all.map(({ at: own, operation }) => {
        if (own === at) return [own, failedWith(operation, thrown)];
        const guilty = operations[at]?.bulkId ?? '';
        const message = `'bulkId:${guilty}', which it names and is named by, could not be made`;
        return [own, failedWith(operation, new BadRequestError(message, { id: 'SCIM_BAD_VALUE' }))];
      });
    }
  }

  async function attempt(operation: BulkOperation): Promise<Outcome> {
    try {
      return doneWith(operation, await perform(requestOf(withIds(operation, idOf))));
    } catch (thrown) {
      return failedWith(operation, thrown);
    }
  }

  function failedWith(operation: BulkOperation, thrown: unknown): Outcome {
    const error = toResourceError(thrown);
    const { status } = statusOf(error);
    // What is wrong with the server is wrong with all of it.
    if (status >= 500) throw thrown;
    if (isAllOrNone) throw withOperation(operation, error);
    const path = operation.path.map(encodeURIComponent).join('/');
    const location = operation.method === 'POST' ? {} : { location: `${base}/${path}` };
    const response = scimErrorBody(error);
    const resource = formatPath(['scim', ...operation.path]);
    refused.push({ operation: KINDS[operation.method], resource, detail: error.toJSON() });
    return { entry: { ...shown(operation), ...location, status: String(status), response } };
  }

  function idOf(bulkId: string): string {
    const other = byBulkId.get(bulkId);
    const id = other === undefined ? undefined : outcomes.get(other)?.id;
    if (id !== undefined) return id;
    throw new BadRequestError(`'bulkId:${bulkId}' names no resource that this request has made`, {
      id: 'SCIM_BAD_VALUE',
      hint: 'A POST of the same request has that bulkId',
    });
  }
}

/** The same error, and of which operation it is. */
function withOperation({ method, path, bulkId }: BulkOperation, error: ResourceError): ResourceError {
  const which = bulkId === null ? '' : `, bulkId '${bulkId}'`;
  const message = `${method} /${path.join('/')}${which}: ${error.message}; nothing of the request was done`;
  const { code, detail } = error;
  return new ResourceError(code, message, { ...(detail === undefined ? {} : { detail }), cause: error });
}

function shown({ method, bulkId }: BulkOperation) {
  return { method, ...(bulkId === null ? {} : { bulkId }) };
}

function doneWith(operation: BulkOperation, { id, location, version }: Done): Outcome {
  const { method } = operation;
  const status = method === 'POST' ? '201' : method === 'DELETE' ? '204' : '200';
  const tag = version === null || method === 'DELETE' ? {} : { version: `W/"${version}"` };
  return { id, entry: { ...shown(operation), location, ...tag, status } };
}

function readBulk(body: JsonValue): {
  readonly operations: readonly BulkOperation[];
  readonly failOnErrors: number;
} {
  const operations = isObject(body) ? memberIgnoringCase(body, 'Operations') : undefined;
  if (!isObject(body) || !Array.isArray(operations)) {
    throw new BadRequestError("A bulk request needs a list of 'Operations'", { id: 'SCIM_BAD_SYNTAX' });
  }
  const failOnErrors = memberIgnoringCase(body, 'failOnErrors') ?? 0;
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
  const member = (name: string) => memberIgnoringCase(given, name) ?? null;
  const [verb, path, bulkId] = [member('method') ?? '', member('path') ?? '', member('bulkId')];
  const [version, data] = [member('version'), member('data')];
  const method = METHODS.find((one) => typeof verb === 'string' && one === verb.toUpperCase());
  if (method === undefined)
    throw fault(`has the method ${JSON.stringify(verb)}, not one of ${METHODS.join(', ')}`);
  if (typeof path !== 'string' || !/^\/[^/]+(?:\/[^/]+)?$/.test(path))
    throw fault(`has no path such as /Users/42`);
  if (bulkId !== null && typeof bulkId !== 'string') throw fault("has a 'bulkId' that is no text");
  if (method === 'POST' && bulkId === null) throw fault("is a POST without a 'bulkId'");
  return {
    method,
    path: path.slice(1).split('/').map(decoded),
    bulkId,
    revision: typeof version === 'string' ? revisionsIn(version) : null,
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

function withIds(operation: BulkOperation, idOf: (named: string) => string): BulkOperation {
  const replaced = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') {
      const bulkId = bulkIdIn(value);
      return bulkId === undefined ? value : idOf(bulkId);
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
  const operations = isObject(body) ? memberIgnoringCase(body, 'Operations') : undefined;
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
    const [op = '', path = null, value] = ['op', 'path', 'value'].map((name) =>
      memberIgnoringCase(given, name),
    );
    const operation = Object.values(OPS).find((one) => typeof op === 'string' && one === op.toLowerCase());
    if (operation === undefined) {
      throw new BadRequestError(`${JSON.stringify(op)} is no operation of a PATCH`, {
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
