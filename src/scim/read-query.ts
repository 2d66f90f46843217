import { BadRequestError, NotFoundError } from '#errors/index.ts';
import { parsePath, type QueryFilter, type Request, readerOf, type SortKey } from '#resource/index.ts';
import { parseAttributePath } from './attribute-path.ts';
import { edgeOf, edgeQuery } from './edges.ts';
import { parseScimFilter } from './filter.ts';
import { keyOf, type LookUp, lookUpsOf, toQueryFilter } from './filter-query.ts';
import { findByExternalId } from './object-repository.ts';
import { attributeAt, type ResourceType, schemasOf, subAttributeAt } from './resource-type.ts';
import { LIMITS } from './schema-answer.ts';
import { clientOf, pathOf, type Scope, storedTypeOf } from './scim-platform.ts';

export type Parameters = Readonly<Record<string, string | undefined>>;

/** What a client asks of a collection. */
export interface AskedPage {
  readonly request: Omit<Extract<Request, { method: 'query' }>, 'fields'>;
  /** Resources of the page; 0: their number alone is wanted. */
  readonly count: number;
  /** From 1; undefined where the client goes by cursors. */
  readonly startIndex: number | undefined;
}

const EVERYTHING: QueryFilter = { kind: 'literal', value: true };

/** Reads `filter`, `sortBy`, `startIndex`, `count` and `cursor` (RFC 7644, 3.4.2, and RFC 9865). @throws BadRequestError */
export async function readQuery(scope: Scope, parameters: Parameters): Promise<AskedPage> {
  const { type } = scope;
  const { filter = '', sortBy = '', sortOrder, cursor } = parameters;
  const count = Math.min(wholeNumber('count', parameters['count']) ?? LIMITS.page, LIMITS.results);
  const startIndex = Math.max(1, wholeNumber('startIndex', parameters['startIndex']) ?? 1);
  const request = {
    method: 'query',
    path: pathOf(type),
    nestedFields: true,
    parameters: {},
    queryId: null,
    queryExpression: null,
    queryFilter: await filterOf(scope, filter),
    sortKeys: sortKeysOf(type, sortBy, sortOrder),
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
  const { type } = scope;
  const filter = parseScimFilter(text, schemasOf(type));
  const found = new Map<string, readonly string[]>();
  for (const one of lookUpsOf(type, filter)) found.set(keyOf(one), await lookUp(scope, one));
  return toQueryFilter(type, filter, (one) => found.get(keyOf(one)) ?? []);
}

async function lookUp(scope: Scope, { reference, value }: LookUp): Promise<readonly string[]> {
  const { platform, context, type, ask } = scope;
  if (reference === undefined) {
    return findByExternalId(await readerOf(platform, context), clientOf(context), storedTypeOf(type), value);
  }
  const [collection = ''] = reference.collections;
  const path = [...collection.split('/'), value, reference.reverse ?? ''];
  try {
    const { pagedResultsCookie, result } = await ask.all(edgeQuery(path, EVERYTHING, LIMITS.results));
    if (pagedResultsCookie === null) return result.map((edge) => lastOf(edgeOf(edge).ref));
  } catch (error) {
    // Nothing refers to what is not there.
    if (error instanceof NotFoundError) return [];
    throw error;
  }
  throw new BadRequestError(`More than ${LIMITS.results} resources refer to '${value}'`, {
    id: 'SCIM_TOO_MANY',
  });
}

function lastOf(ref: string): string {
  return parsePath(ref).at(-1) ?? '';
}

function sortKeysOf(type: ResourceType, sortBy: string, sortOrder = 'ascending'): readonly SortKey[] {
  if (sortBy === '') return [{ pointer: ['_id'], descending: false }];
  const path = parseAttributePath(sortBy, schemasOf(type));
  const descending = sortOrder.toLowerCase() === 'descending';
  if (path.name.toLowerCase() === 'id') return [{ pointer: ['_id'], descending }];
  const attribute = attributeAt(type, path);
  if (attribute === undefined || attribute.returned === 'never') throw notSortable(sortBy);
  const { binding } = attribute;
  if (binding.kind === 'property') return [{ pointer: binding.pointer, descending }];
  const part = subAttributeAt(attribute, path.sub ?? 'value');
  const property =
    binding.kind === 'elements' ? binding.elements[0]?.parts.get(path.sub ?? 'value') : part?.property;
  if (property === undefined || part?.returned === 'never') throw notSortable(sortBy);
  return [{ pointer: property.pointer, descending }];
}

function notSortable(sortBy: string): Error {
  return new BadRequestError(`'${sortBy}' is nothing to sort by`, { id: 'SCIM_BAD_VALUE' });
}

/** Negative ones count as 0. @throws BadRequestError `SCIM_BAD_VALUE` */
export function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^-?\d{1,9}$/.test(text)) return Math.max(0, Number(text));
  throw new BadRequestError(`'${name}' is '${text}', not a whole number`, { id: 'SCIM_BAD_VALUE' });
}
