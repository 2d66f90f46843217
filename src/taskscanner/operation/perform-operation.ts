import { withSeals } from '#crypto/index.ts';
import { BadRequestError, ConflictError, errorIdOf, NotFoundError, ResourceError } from '#errors/index.ts';
import { isObject, type JsonObject, parsePointer } from '#json/index.ts';
import {
  NO_PAGING,
  parsePatch,
  parsePath,
  type QueryFilter,
  type Request,
  type ResourcePath,
  type Response,
  resourceBody,
} from '#resource/index.ts';
import type { Verdict } from '../scan-run.ts';
import type { Operation } from './operation.ts';

/** Asks as the maker of the operation would. */
export type Send = (request: Request) => Promise<Response>;

/** What it is done with: an object that is there, or what is to be imported. */
export interface PlainObject {
  readonly id: string;
  readonly line?: JsonObject;
}

export interface Performed {
  readonly verdict: Verdict;
  /** What an export has read. */
  readonly line?: JsonObject;
}

/**
 * Does with one object what the operation is for. What is gone meanwhile, or by an import that creates is there already, is skipped.
 *
 * @throws ResourceError why it cannot be done
 */
export async function performOperation(
  operation: Operation,
  resource: string,
  { id, line = {} }: PlainObject,
  send: Send,
): Promise<Performed> {
  try {
    if (operation.act === 'import') return await importLine(operation, parsePath(resource), line, send);
    const answer = await send(requestOf(operation, [...parsePath(resource), id]));
    if (operation.act !== 'export' || answer.kind !== 'resource') return { verdict: 'successes' };
    const body = resourceBody(answer);
    return { verdict: 'successes', line: withSeals(isObject(body) ? body : {}) };
  } catch (error) {
    if (error instanceof NotFoundError && operation.act !== 'import') return { verdict: 'skipped' };
    throw error;
  }
}

function requestOf({ act, action, fields, content }: Operation, path: ResourcePath): Request {
  const base = { path, fields: [], parameters: {} };
  if (act === 'patch') return { ...base, method: 'patch', revision: null, operations: parsePatch(content) };
  if (act === 'delete') return { ...base, method: 'delete', revision: null };
  if (act === 'action') return { ...base, method: 'action', action: action ?? '', content };
  return { ...base, method: 'read', nestedFields: true, fields: fields.map((field) => parsePointer(field)) };
}

async function importLine(
  { mode, key }: Operation,
  path: ResourcePath,
  line: JsonObject,
  send: Send,
): Promise<Performed> {
  const { _rev: _, ...content } = line;
  const base = { path, fields: [], parameters: {} };
  const { _id: id, ...rest } = content;
  const replaces = mode === 'replace';
  if (id === undefined && key !== null) {
    const known = await findByKey(path, key, content, send);
    if (known !== undefined && !replaces) return { verdict: 'skipped' };
    if (known !== undefined) {
      await send({ ...base, method: 'update', path: [...path, known], revision: null, content: rest });
      return { verdict: 'successes' };
    }
  }
  const newResourceId = typeof id === 'string' ? id : null;
  const named = newResourceId !== null && replaces ? ({ orUpdate: true } as const) : {};
  try {
    await send({ ...base, method: 'create', newResourceId, content, ...named });
    return { verdict: 'successes' };
  } catch (error) {
    // Whoever may create and not replace is told so of each.
    if (replaces || !(error instanceof ResourceError) || errorIdOf(error) !== 'OBJECT_EXISTS') throw error;
    return { verdict: 'skipped' };
  }
}

/** The id of the one object whose key has that value. */
async function findByKey(
  path: ResourcePath,
  key: string,
  content: JsonObject,
  send: Send,
): Promise<string | undefined> {
  const value = content[key] ?? null;
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw new BadRequestError(`There is no text or number in '${key}' to know the object by`, {
      id: 'OPERATION_NO_KEY',
      field: `/${key}`,
      hint: 'Send it, or an _id',
    });
  }
  const queryFilter: QueryFilter = { kind: 'compare', pointer: [key], operator: 'eq', value };
  const answer = await send({
    method: 'query',
    path,
    queryFilter,
    queryId: null,
    queryExpression: null,
    sortKeys: [],
    paging: { ...NO_PAGING, pageSize: 2 },
    fields: [['_id']],
    parameters: {},
  });
  const ids = answer.kind === 'query' ? answer.result.flatMap(({ id }) => id ?? []) : [];
  if (ids.length <= 1) return ids[0];
  throw new ConflictError(`Several objects have '${String(value).slice(0, 100)}' as their ${key}`, {
    id: 'OPERATION_AMBIGUOUS_KEY',
    field: `/${key}`,
    hint: 'Name the one that is meant by its _id',
  });
}
