import type { QueryResult, Resource } from '#resource/index.ts';
import type { ListPage } from './list-repository.ts';

/** A page as all collections of this room answer it. */
export function answerPage<Row>(
  { rows, cookie, total, warnings }: ListPage<Row>,
  view: (row: Row) => Resource,
): QueryResult {
  return {
    kind: 'query',
    result: rows.map(view),
    pagedResultsCookie: cookie,
    totalPagedResultsPolicy: total === -1 ? 'NONE' : 'EXACT',
    totalPagedResults: total,
    ...(warnings === undefined ? {} : { warnings }),
  };
}
