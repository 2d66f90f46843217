import { BadRequestError } from '#errors/index.ts';
import type { QueryRequest } from '../request.ts';
import { parsePaging } from './paging.ts';
import { parseQueryFilter } from './query-filter-parser.ts';
import { parseSortKeys } from './sort-key.ts';

/** Parameters with a meaning, as a URL or a script gives them; several sort keys may come as a list. */
export interface QueryParameters {
  readonly _queryId?: string | undefined;
  readonly _queryExpression?: string | undefined;
  readonly _queryFilter?: string | undefined;
  readonly _sortKeys?: string | undefined;
  readonly _pageSize?: string | number | undefined;
  readonly _pagedResultsOffset?: string | number | undefined;
  readonly _pagedResultsCookie?: string | undefined;
  readonly _totalPagedResultsPolicy?: string | undefined;
}

type QueryParts = Pick<QueryRequest, 'queryId' | 'queryExpression' | 'queryFilter' | 'sortKeys' | 'paging'>;

/**
 * Reads what says which rows are wanted.
 *
 * @throws BadRequestError unless exactly one of `_queryId`, `_queryExpression` and `_queryFilter` is given, or
 *   when one of the parameters cannot be read
 */
export function parseQueryParameters(given: QueryParameters): QueryParts {
  const ways = (['_queryId', '_queryExpression', '_queryFilter'] as const).filter(
    (name) => given[name] !== undefined,
  );
  if (ways.length !== 1) {
    throw new BadRequestError(
      ways.length === 0 ? 'The query says nothing to look for' : `${ways.join(' and ')} exclude each other`,
      { id: 'QUERY_WHICH', hint: 'Give exactly one of _queryId, _queryFilter and _queryExpression' },
    );
  }
  return {
    queryId: given._queryId ?? null,
    queryExpression: given._queryExpression ?? null,
    queryFilter: given._queryFilter === undefined ? null : parseQueryFilter(given._queryFilter),
    sortKeys: given._sortKeys === undefined ? [] : parseSortKeys(given._sortKeys),
    paging: parsePaging(given),
  };
}
