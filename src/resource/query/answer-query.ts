import { BadRequestError, didYouMean } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { QueryRequest } from '../request.ts';
import { formatPath } from '../resource-path.ts';
import { type QueryResult, resource } from '../response.ts';
import { refuseUnknownField } from '../unknown-field.ts';
import { applyQueryInMemory } from './paging-in-memory.ts';
import { compilePredefinedQuery, type PredefinedQuery } from './predefined-query.ts';
import type { QueryFilter } from './query-filter.ts';

/** Queries by name that every collection of objects knows. */
const SHIPPED: ReadonlyMap<string, PredefinedQuery> = new Map([
  ['query-all', compilePredefinedQuery('true')],
  ['query-all-ids', compilePredefinedQuery('true')],
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: places of a query template
  ['for-userName', compilePredefinedQuery('userName eq ${uid}')],
  ['credential-query', compilePredefinedQuery('userName eq ${username} and accountStatus eq "active"')],
  ['credential-internaluser-query', compilePredefinedQuery('_id eq ${username}')],
  ['get-by-field-value', compilePredefinedQuery('${pointer:field} eq ${value}')],
  [
    'scan-tasks',
    compilePredefinedQuery(
      '${pointer:property} lt ${condition.before} and !(${pointer:taskState.completed} pr)',
    ),
  ],
  // Scripts of the field find by these what a user is to be told, and what belongs together.
  ['get-notifications-for-user', compilePredefinedQuery('receiverId eq ${userId}')],
  ['links-for-linkType', compilePredefinedQuery('linkType eq ${linkType}')],
  ['links-for-firstId', compilePredefinedQuery('linkType eq ${linkType} and firstId eq ${firstId}')],
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: places of a query template
]);

/** Whether every collection answers a query by this name. */
export function hasPredefinedQuery(id: string): boolean {
  return SHIPPED.has(id);
}

/** Further queries by name, as `conf/repo.json` declares them. */
export type PredefinedQueries = ReadonlyMap<string, PredefinedQuery>;

/** What a query asks for once its name is resolved: a filter, and perhaps the ids only. */
export interface PlainQuery {
  readonly filter: QueryFilter;
  readonly idsOnly: boolean;
}

/**
 * The filter that a query means: its own, or that of a predefined query with the request's parameters.
 *
 * @throws BadRequestError for an unknown query id, a missing parameter, and for a query expression
 */
export function plainQuery(request: QueryRequest, configured: PredefinedQueries = new Map()): PlainQuery {
  const { queryFilter, queryId, queryExpression } = request;
  if (queryFilter !== null) return { filter: queryFilter, idsOnly: false };
  if (queryId === null) {
    throw new BadRequestError(
      `'${formatPath(request.path)}' cannot be queried by the expression '${queryExpression}'`,
      { id: 'QUERY_NO_EXPRESSION', hint: 'Use _queryFilter, or _queryId for a predefined query' },
    );
  }
  const query = configured.get(queryId) ?? SHIPPED.get(queryId);
  if (query !== undefined) {
    return {
      filter: query.bind(request.parameters),
      idsOnly: queryId === 'query-all-ids' && !configured.has(queryId),
    };
  }
  const names = [...SHIPPED.keys(), ...configured.keys()];
  throw new BadRequestError(`Unknown query '${queryId}' on '${formatPath(request.path)}'`, {
    id: 'QUERY_UNKNOWN_ID',
    hint: didYouMean(queryId, names) ?? `There are ${names.join(', ')}, or use _queryFilter`,
  });
}

/**
 * Answers a query from objects that are held in memory; each has its `_id`.
 *
 * @param fields those that they have, where these are fixed
 */
export function answerFromMemory(
  request: QueryRequest,
  objects: Iterable<JsonObject>,
  fields?: readonly string[],
): QueryResult {
  const { filter, idsOnly } = plainQuery(request);
  if (fields !== undefined) refuseUnknownField({ filter, sortKeys: request.sortKeys }, fields);
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
