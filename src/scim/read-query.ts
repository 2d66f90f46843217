import { BadRequestError, NotFoundError } from '#errors/index.ts';
import { findByExternalId } from '#repo/index.ts';
import {
  CREATED_AT,
  KNOWN_AS,
  parsePath,
  type QueryFilter,
  type Request,
  readerOf,
  type SortKey,
  UPDATED_AT,
} from '#resource/index.ts';
import { parseAttributePath } from './attribute-path.ts';
import { edgeOf, edgeQuery } from './edges.ts';
import { parseScimFilter } from './filter.ts';
import { keyOf, lookUpsOf, toQueryFilter } from './filter-query.ts';
import type { LookUp } from './reference-filter.ts';
import { type Attribute, attributeAt, type Property, subAttributeAt } from './resource-type.ts';
import { LIMITS } from './schema-answer.ts';
import { clientOf, pathOf, type Scope, storedTypeOf } from './scim-platform.ts';

export type Parameters = Readonly<Record<string, string | undefined>>;

/** What a client asks of a collection. */
export interface AskedPage {
  readonly request: Omit<Extract<Request, { method: 'query' }>, 'fields'>;
  /** Resources of the page; 0: their number alone is wanted. */
  readonly count: number;
  /** The place of the first resource, from 1; undefined where the client goes by cursors. */
  readonly startIndex: number | undefined;
}

const EVERYTHING: QueryFilter = { kind: 'literal', value: true };

/** Reads `filter`, `sortBy`, `startIndex`, `count` and `cursor` (RFC 7644, 3.4.2, and RFC 9865). @throws BadRequestError */
export async function readQuery(scope: Scope, parameters: Parameters): Promise<AskedPage> {
  const { type } = scope;
  const { filter = '', sortBy = '', sortOrder, cursor } = parameters;
  const count = countOf(parameters);
  const startIndex = Math.max(1, wholeNumber('startIndex', parameters['startIndex']) ?? 1);
  const request = {
    method: 'query',
    path: pathOf(type),
    nestedFields: true,
    parameters: {},
    queryId: null,
    queryExpression: null,
    queryFilter: await filterOf(scope, filter),
    sortKeys: sortKeysOf(scope, sortBy, sortOrder),
    knownTo: clientOf(scope.context),
    paging: {
      pageSize: Math.max(count, 1),
      offset: cursor === undefined ? startIndex - 1 : 0,
      ...(cursor === undefined || cursor === '' ? {} : { cookie: cursor }),
      totalPolicy: 'EXACT',
    },
  } as const;
  return { request, count, startIndex: cursor === undefined ? startIndex : undefined };
}

async function filterOf(scope: Scope, text: string): Promise<QueryFilter> {
  if (text.trim() === '') return EVERYTHING;
  const filter = parseScimFilter(text, scope.schemas);
  const found = new Map<string, readonly string[] | null>();
  for (const one of lookUpsOf(scope, filter)) found.set(keyOf(one), await lookUp(scope, one));
  return toQueryFilter(scope, filter, (one) => found.get(keyOf(one)) ?? null);
}

/** @returns null where there are too many to be named */
async function lookUp(scope: Scope, { reference, value }: LookUp): Promise<readonly string[] | null> {
  const { platform, context, type, ask } = scope;
  if (reference === undefined) {
    return findByExternalId(
      await readerOf(platform, context),
      { client: clientOf(context), type: storedTypeOf(type) },
      value,
    );
  }
  const [collection = ''] = reference.collections;
  const path = [...collection.split('/'), value, reference.reverse ?? ''];
  try {
    const { pagedResultsCookie, result } = await ask.all(edgeQuery(path, EVERYTHING, LIMITS.results));
    return pagedResultsCookie === null ? result.map((edge) => lastOf(edgeOf(edge).ref)) : null;
  } catch (error) {
    // Nothing refers to what is not there.
    if (error instanceof NotFoundError) return [];
    throw error;
  }
}

function lastOf(ref: string): string {
  return parsePath(ref).at(-1) ?? '';
}

const TIMES: Readonly<Record<string, string>> = { created: CREATED_AT, lastmodified: UPDATED_AT };

/** @param isOfAll where other types may have what this one lacks, which has no order of its own then */
function sortKeysOf(
  { type, schemas, isOfAll }: Scope,
  sortBy: string,
  sortOrder = 'ascending',
): readonly SortKey[] {
  const byId = [{ pointer: ['_id'], descending: false }];
  const descending = sortOrder.toLowerCase() === 'descending';
  if (!descending && sortOrder.toLowerCase() !== 'ascending') {
    throw new BadRequestError(`'sortOrder' is '${sortOrder}'`, {
      id: 'SCIM_BAD_VALUE',
      hint: 'One of ascending, descending',
    });
  }
  if (sortBy === '') return byId;
  const path = parseAttributePath(sortBy, schemas);
  if (path.name.toLowerCase() === 'id') return [{ pointer: ['_id'], descending }];
  const time = path.name.toLowerCase() === 'meta' ? TIMES[path.sub?.toLowerCase() ?? ''] : undefined;
  if (time !== undefined) return [{ pointer: [time], descending }];
  const attribute = attributeAt(type, path);
  if (attribute === undefined && isOfAll) return byId;
  if (attribute === undefined || attribute.returned === 'never') throw notSortable(sortBy);
  const { binding } = attribute;
  if (binding.kind === 'externalId') return [{ pointer: [KNOWN_AS], descending }];
  const part = binding.kind === 'property' ? attribute : subAttributeAt(attribute, path.sub ?? 'value');
  const property = sortedProperty(attribute, path.sub ?? 'value');
  if (property === undefined || part === undefined || part.returned === 'never') throw notSortable(sortBy);
  const ignoresCase = part.type === 'string' && !part.caseExact && property.values === undefined;
  return [{ pointer: property.pointer, descending, ...(ignoresCase ? { ignoresCase } : {}) }];
}

function sortedProperty(attribute: Attribute, sub: string): Property | undefined {
  const { binding } = attribute;
  if (binding.kind === 'property') return binding;
  if (binding.kind !== 'elements') return subAttributeAt(attribute, sub)?.property;
  return binding.elements[0]?.parts.get(subAttributeAt(attribute, sub)?.name ?? sub);
}

function notSortable(sortBy: string): Error {
  return new BadRequestError(`'${sortBy}' is nothing to sort by`, { id: 'SCIM_BAD_VALUE' });
}

/** Resources that a page may have, of which there are no more than the service gives. @throws BadRequestError */
export function countOf({ count, cursor }: Parameters): number {
  const id = cursor === undefined ? 'SCIM_BAD_VALUE' : 'SCIM_BAD_COUNT';
  return Math.min(wholeNumber('count', count, id) ?? LIMITS.page, LIMITS.results);
}

/** Negative ones count as 0. @throws BadRequestError */
export function wholeNumber(
  name: string,
  text: string | undefined,
  id = 'SCIM_BAD_VALUE',
): number | undefined {
  if (text === undefined) return undefined;
  if (/^-?\d{1,9}$/.test(text)) return Math.max(0, Number(text));
  throw new BadRequestError(`'${name}' is '${text}', not a whole number`, { id });
}
