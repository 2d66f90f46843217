import { type QueryResult, type Resource, resource } from '#resource/index.ts';
import type { TablePage } from './query-table.ts';

/** A page of rows as the answer of a query; of rows that are asked for by `query-all-ids` only the id. */
export function pageResult<Row>(
  { rows, idsOnly, cookie, total }: TablePage<Row>,
  idOf: (row: Row) => string,
  toResource: (row: Row) => Resource,
): QueryResult {
  return {
    kind: 'query',
    result: rows.map((row) => (idsOnly ? resource(idOf(row), null, {}) : toResource(row))),
    pagedResultsCookie: cookie,
    totalPagedResultsPolicy: total === -1 ? 'NONE' : 'EXACT',
    totalPagedResults: total,
  };
}
