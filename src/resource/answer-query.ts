import { BadRequestError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { applyQueryInMemory } from './paging-in-memory.ts';
import type { QueryFilter } from './query-filter.ts';
import type { QueryRequest } from './request.ts';
import { formatPath } from './resource-path.ts';
import { type QueryResult, resource } from './response.ts';

const EVERYTHING: QueryFilter = { kind: 'literal', value: true };
const QUERY_IDS = ['query-all', 'query-all-ids'] as const;

/** What a query without parameters of its own asks for: a filter, and perhaps the ids only. */
export interface PlainQuery {
  readonly filter: QueryFilter;
  readonly idsOnly: boolean;
}

/**
 * The filter of a query on a collection that knows no predefined queries but `query-all` and `query-all-ids`.
 *
 * @throws BadRequestError for any other query id and for a query expression
 */
export function plainQuery(request: QueryRequest): PlainQuery {
  const { queryFilter, queryId, queryExpression } = request;
  if (queryFilter !== null) return { filter: queryFilter, idsOnly: false };
  if (queryId !== null && QUERY_IDS.some((known) => known === queryId)) {
    return { filter: EVERYTHING, idsOnly: queryId === 'query-all-ids' };
  }
  throw new BadRequestError(
    queryId === null
      ? `'${formatPath(request.path)}' cannot be queried by the expression '${queryExpression}'`
      : `Unknown query '${queryId}' on '${formatPath(request.path)}'`,
    { id: 'QUERY_UNKNOWN_ID', hint: `There are ${QUERY_IDS.join(' and ')}, or use _queryFilter` },
  );
}

/** Answers a query from objects that are held in memory; each has its `_id`. */
export function answerFromMemory(request: QueryRequest, objects: Iterable<JsonObject>): QueryResult {
  const { filter, idsOnly } = plainQuery(request);
  const page = applyQueryInMemory(objects, {
    scope: formatPath(request.path),
    filter,
    sortKeys: request.sortKeys,
    paging: request.paging,
  });
  return {
    kind: 'query',
    result: page.rows.map(({ _id, ...content }) => resource(String(_id), null, idsOnly ? {} : content)),
    pagedResultsCookie: page.cookie,
    totalPagedResultsPolicy: page.total === -1 ? 'NONE' : 'EXACT',
    totalPagedResults: page.total,
  };
}
