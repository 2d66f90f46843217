import { PayloadTooLargeError } from '#errors/index.ts';
import { formatPointer, isObject, type JsonObject } from '#json/index.ts';
import {
  answerFromMemory,
  compileFilter,
  formatQueryFilter,
  parseQueryFilter,
  plainQuery,
  pointersOf,
  type QueryFilter,
  type QueryRequest,
  type QueryResult,
  resource,
} from '#resource/index.ts';
import { ignoringCase, nativeFilter, propertyAt } from './native-filter.ts';
import { nativeNames, type SystemObjectType, type SystemProperty } from './object-type.ts';
import { objectOf } from './property-value.ts';
import { revisionOf } from './revision-of.ts';
import type { System } from './system.ts';

/** The most objects in an answer without pages, and the most that are sorted here because nobody else does. */
const MOST_AT_ONCE = 10_000;

type Wanted = (property: SystemProperty) => boolean;

/** What is asked for of objects, by the names of `_fields`; without names what is shown by default. */
export function wantedBy(fields: QueryRequest['fields']): Wanted {
  const names = new Set(fields.map(([name = '*']) => name));
  const isDefault = names.size === 0 || names.has('*');
  return ({ name, isReturnedByDefault }) => (isDefault && isReturnedByDefault) || names.has(name);
}

/** The attributes to be read for it; undefined where the other side is to decide what it shows. */
export function attributesFor(type: SystemObjectType, isWanted: Wanted): readonly string[] {
  return nativeNames([...type.properties.values()].filter(isWanted));
}

/**
 * Answers a query.
 *
 * @throws PayloadTooLargeError `SYSTEM_TOO_MANY` for more than 10,000 objects that are to be sorted, or shown at once
 */
export async function queryObjects(
  system: System,
  type: SystemObjectType,
  request: QueryRequest,
  signal?: AbortSignal,
): Promise<QueryResult> {
  const { filter, idsOnly } = questionOf(request);
  const { sortKeys, paging } = request;
  const sorted = new Set(sortKeys.map(({ pointer }) => propertyAt(type, pointer)));
  const isWanted = idsOnly ? () => false : wantedBy(request.fields);
  const shown = { isWanted: (one: SystemProperty) => isWanted(one) || sorted.has(one), filter };
  const begin = () => matching(system, type, shown, signal);
  if (sortKeys.length > 0) {
    const all = await collect(begin(), request);
    const inMemory: QueryRequest = {
      ...request,
      queryId: null,
      queryFilter: { kind: 'literal', value: true },
    };
    return answerFromMemory(inMemory, all);
  }
  // Only an object that is shown as a whole has a revision.
  const isWhole = !idsOnly && request.fields.some(([name]) => name === '*');
  const showsRevision = isWhole && request.fields.some(([name]) => name === '_rev');
  const revision = (object: JsonObject) => (showsRevision ? revisionOf(type, object) : null);
  if (paging.pageSize === 0) return answer(await collect(begin(), request), null, revision);
  const names = request.fields.map(formatPointer).join(',');
  const question = `${type.name} ${formatQueryFilter(filter)} ${names} ${idsOnly}`;
  const { objects, cookie } = await system.listings.page(begin, question, paging);
  return answer(objects, cookie, revision);
}

/** Objects one after the other, as far as they are what is asked for. */
export async function* matching(
  system: System,
  type: SystemObjectType,
  { isWanted, filter }: { readonly isWanted: Wanted; readonly filter: QueryFilter },
  signal?: AbortSignal,
): AsyncGenerator<JsonObject, void, undefined> {
  if (filter.kind === 'literal' && !filter.value) return;
  const { enableFilteredResultsHandler: isExact, enableCaseInsensitiveFilter } =
    system.config.resultsHandlerConfig;
  const looked = new Set(pointersOf(filter).map((pointer) => propertyAt(type, pointer)));
  const isRead = (property: SystemProperty) => isWanted(property) || looked.has(property);
  const matches = compileFilter(isExact && !enableCaseInsensitiveFilter ? filter : ignoringCase(filter));
  const isAll = filter.kind === 'literal';
  const entries = system.search(
    type,
    {
      filter: isAll ? undefined : nativeFilter(type, filter),
      comparison: isExact ? 'exact' : 'native',
      attributes: attributesFor(type, isRead),
    },
    signal,
  );
  for await (const { entry, isSure } of entries) {
    const object = await objectOf(system.crypto, type, entry, isRead);
    if (!isAll && !isSure && !matches(object)) continue;
    yield Object.fromEntries(
      Object.entries(object).filter(([name]) => {
        const property = type.properties.get(name);
        return property === undefined || isWanted(property);
      }),
    );
  }
}

/** A query expression is a filter here, as it is in the field. */
function questionOf(request: QueryRequest): { readonly filter: QueryFilter; readonly idsOnly: boolean } {
  const { queryFilter, queryId, queryExpression } = request;
  if (queryFilter === null && queryId === null && queryExpression !== null) {
    return { filter: parseQueryFilter(queryExpression), idsOnly: false };
  }
  return plainQuery(request);
}

async function collect(
  objects: AsyncIterable<JsonObject>,
  { sortKeys }: QueryRequest,
): Promise<readonly JsonObject[]> {
  const all: JsonObject[] = [];
  for await (const object of objects) {
    if (all.push(object) <= MOST_AT_ONCE) continue;
    throw new PayloadTooLargeError(`More than ${MOST_AT_ONCE} objects would be answered at once`, {
      id: 'SYSTEM_TOO_MANY',
      hint:
        sortKeys.length === 0
          ? `Ask for pages: _pageSize=1000, then with the _pagedResultsCookie of the answer`
          : 'Ask without _sortKeys, or for fewer of them: another system does not sort',
    });
  }
  return all;
}

function answer(
  objects: readonly JsonObject[],
  cookie: string | null,
  revision: (object: JsonObject) => string | null,
): QueryResult {
  return {
    kind: 'query',
    result: objects.map((object) => {
      const { _id, ...content } = object;
      return resource(String(_id), revision(object), isObject(content) ? content : {});
    }),
    pagedResultsCookie: cookie,
    totalPagedResultsPolicy: 'NONE',
    totalPagedResults: -1,
  };
}
