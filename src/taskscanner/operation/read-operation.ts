import { BadRequestError, didYouMean, PayloadTooLargeError } from '#errors/index.ts';
import { isObject, isTooDeep, type JsonObject, type JsonValue, parsePointer } from '#json/index.ts';
import {
  formatPath,
  isStorableText,
  parsePatch,
  parsePath,
  parseQueryParameters,
  type ResourcePath,
} from '#resource/index.ts';
import type { RunDefinition } from '../scan-definition.ts';
import { ACTS, FORMATS, MODES, type Operation } from './operation.ts';
import { MOST_OBJECTS, ORDER } from './operation-schema.ts';

/** Lines of one import. */
export const MOST_LINES = 10_000;
const MOST_FIELDS = 100;
const MOST_NAME = 200;
const THREADS = 4;

/** They are asked one by one, and by nobody else's hand. */
const CLOSED = ['operation', 'taskscanner'];

/** What somebody wants to have done. */
export interface OperationOrder {
  readonly operation: Pick<Operation, 'act' | 'action' | 'fields' | 'format' | 'mode' | 'key' | 'content'>;
  readonly definition: RunDefinition;
  /** The lines of an import. */
  readonly lines: readonly JsonObject[];
  readonly dryRun: boolean;
}

/** @throws BadRequestError `OPERATION_INVALID`, `OPERATION_BAD_LINE`, PayloadTooLargeError */
export function readOperation(body: JsonObject, named: (path: ResourcePath) => ResourcePath): OperationOrder {
  for (const name of Object.keys(body)) {
    const known = Object.keys(ORDER);
    if (!known.includes(name) && !/^_(id|rev)$/.test(name)) {
      throw refuse(
        name,
        `An operation has no '${name}'`,
        didYouMean(name, known) ?? `There are ${known.join(', ')}`,
      );
    }
  }
  const act = oneOf(body, 'act', ACTS);
  const isImport = act === 'import';
  const path = resourceOf(body, named);
  const lines = isImport ? linesOf(body['content']) : [];
  const key = text(body, 'key');
  if (isImport) requireDistinct(lines, key);
  if (act === 'action' && text(body, 'action') === null) {
    throw refuse('action', "An operation of act 'action' needs the name of the action", 'Such as "retry"');
  }
  if (act === 'patch') parsePatch(body['content'] ?? null);
  return {
    operation: {
      act,
      action: text(body, 'action'),
      fields: fieldsOf(body),
      format: oneOf(body, 'format', FORMATS, 'jsonl'),
      mode: oneOf(body, 'mode', MODES, 'create'),
      key,
      content: isImport ? null : (body['content'] ?? null),
    },
    definition: {
      object: formatPath(path),
      query: queryOf(body, isImport),
      maxRecords: limitOf(body),
      threads: THREADS,
    },
    lines,
    dryRun: flagOf(body, 'dryRun'),
  };
}

function resourceOf(body: JsonObject, named: (path: ResourcePath) => ResourcePath): ResourcePath {
  const given = text(body, 'resource');
  const path = given === null ? [] : named(parsePath(given));
  if (given === null || path.length === 0) {
    throw refuse('resource', 'An operation needs the collection that it is about', 'Such as "managed/user"');
  }
  if (CLOSED.includes(path[0] ?? '')) {
    throw refuse('resource', `No operation is about '${given}'`, 'Ask for it by itself');
  }
  return path;
}

function queryOf(body: JsonObject, isImport: boolean): RunDefinition['query'] {
  const query = {
    queryFilter: text(body, 'queryFilter'),
    queryId: text(body, 'queryId'),
    queryExpression: null,
    sortKeys: text(body, 'sortKeys'),
    parameters: parametersOf(body),
  };
  const { queryFilter, queryId, sortKeys } = query;
  if (!isImport) {
    parseQueryParameters({
      ...(queryFilter === null ? {} : { _queryFilter: queryFilter }),
      ...(queryId === null ? {} : { _queryId: queryId }),
      ...(sortKeys === null ? {} : { _sortKeys: sortKeys }),
    });
  } else if (queryFilter !== null || queryId !== null) {
    throw refuse('queryFilter', 'An import is of the objects that come with it', 'Leave the query out');
  }
  return query;
}

function parametersOf(body: JsonObject): Readonly<Record<string, string>> {
  const given = body['parameters'] ?? {};
  if (isObject(given)) {
    const reserved = Object.keys(given).find((name) => name.startsWith('_'));
    if (reserved !== undefined) {
      throw refuse(
        'parameters',
        `'${reserved}' is kept for the protocol`,
        'Only what the query knows itself stands here',
      );
    }
    const entries = Object.entries(given).map(([name, value]) => [name, String(value)] as const);
    if (entries.every(([name]) => !isObject(given[name] ?? null))) return Object.fromEntries(entries);
  }
  throw refuse(
    'parameters',
    "'parameters' must be an object of texts",
    'Such as {"processDefinitionKey": "leave"}',
  );
}

function limitOf(body: JsonObject): number | null {
  const limit = body['limit'] ?? null;
  if (limit === null) return null;
  if (typeof limit === 'number' && Number.isSafeInteger(limit) && limit >= 1 && limit <= MOST_OBJECTS)
    return limit;
  throw refuse(
    'limit',
    `'limit' is ${shown(limit)}, and no number from 1 to ${MOST_OBJECTS}`,
    'Leave it out for all',
  );
}

function fieldsOf(body: JsonObject): readonly string[] {
  const given = body['fields'] ?? [];
  const isList = Array.isArray(given) && given.every((field) => typeof field === 'string' && field !== '');
  if (!isList || given.length > MOST_FIELDS) {
    throw refuse(
      'fields',
      `'fields' must be a list of at most ${MOST_FIELDS} names`,
      'Such as ["userName", "mail"]',
    );
  }
  const fields = given.map(String);
  for (const field of fields) parsePointer(field);
  if (fields.length === 0 && body['format'] === 'csv') {
    throw refuse(
      'fields',
      'An export as CSV needs the fields that are its columns',
      'Such as ["_id", "userName"]',
    );
  }
  return fields;
}

/** A list of objects, or a text with one to the line. */
function linesOf(content: JsonValue | undefined): readonly JsonObject[] {
  const texts =
    typeof content === 'string' ? content.split('\n').filter((line) => line.trim() !== '') : undefined;
  const given = texts ?? content;
  if (!Array.isArray(given) || given.length === 0) {
    throw refuse('content', 'An import needs objects', 'A list of objects, or a text with one to the line');
  }
  if (given.length > MOST_LINES) {
    throw new PayloadTooLargeError(`There are ${given.length} objects; ${MOST_LINES} are taken`, {
      id: 'OPERATION_TOO_MANY',
      field: '/content',
      hint: 'Send them in several operations',
    });
  }
  return given.map((line, at): JsonObject => {
    const value = texts === undefined ? line : parsed(String(line), at);
    if (texts !== undefined && (isTooDeep(value) || !isSound(value))) {
      throw badLine(at, `Line ${at + 1} has a number, a character or a depth that cannot be stored`);
    }
    if (isObject(value)) return value;
    throw badLine(at, `Line ${at + 1} is no object`);
  });
}

function parsed(line: string, at: number): JsonValue {
  try {
    return JSON.parse(line);
  } catch {
    throw badLine(at, `Line ${at + 1} is no JSON`);
  }
}

/** A body is looked at as it comes in, and a text in it is not. */
function isSound(value: JsonValue): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'string') return isStorableText(value);
  if (Array.isArray(value)) return value.every(isSound);
  return (
    !isObject(value) || Object.entries(value).every(([name, each]) => isStorableText(name) && isSound(each))
  );
}

/** Two lanes could create what is the same object, each without the other seeing it. */
function requireDistinct(lines: readonly JsonObject[], key: string | null): void {
  const seen = new Map<string, number>();
  for (const [at, line] of lines.entries()) {
    const name = line['_id'] === undefined && key !== null ? key : '_id';
    const value = line[name];
    if (value === undefined) continue;
    const known = `${name} ${JSON.stringify(value)}`;
    const first = seen.get(known);
    if (first !== undefined) throw badLine(at, `Lines ${first + 1} and ${at + 1} have the same ${known}`);
    seen.set(known, at);
  }
}

function badLine(at: number, message: string): BadRequestError {
  return new BadRequestError(message, {
    id: 'OPERATION_BAD_LINE',
    field: `/content/${at}`,
    hint: 'Each line is an object of its own, such as {"_id": "avo", "userName": "avo"}',
  });
}

function oneOf<T extends string>(body: JsonObject, name: string, known: readonly T[], otherwise?: T): T {
  const given = body[name] ?? otherwise;
  const found = known.find((one) => one === given);
  if (found !== undefined) return found;
  const hint = typeof given === 'string' ? didYouMean(given, known) : undefined;
  throw refuse(name, `'${name}' is ${shown(given ?? null)}`, hint ?? `It is one of ${known.join(', ')}`);
}

function text(body: JsonObject, name: string): string | null {
  const given = body[name] ?? null;
  if (given === null) return null;
  const most = name === 'queryFilter' ? 10_000 : MOST_NAME;
  if (typeof given === 'string' && given.trim() !== '' && given.length <= most) return given;
  throw refuse(name, `'${name}' is ${shown(given)}`, `A text of at most ${most} characters`);
}

function flagOf(body: JsonObject, name: string): boolean {
  const given = body[name] ?? false;
  if (typeof given === 'boolean') return given;
  throw refuse(
    name,
    `'${name}' is ${shown(given)}, and neither true nor false`,
    'Leave it out, or send true',
  );
}

function shown(value: JsonValue): string {
  return JSON.stringify(value).slice(0, 100);
}

function refuse(name: string, message: string, hint: string): BadRequestError {
  return new BadRequestError(message, { id: 'OPERATION_INVALID', field: `/${name}`, hint });
}
