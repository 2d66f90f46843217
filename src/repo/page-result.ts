import { type QueryResult, type Resource, resource } from '#resource/index.ts';
import type { TablePage } from './query-table.ts';

/** A page of rows as the answer of a query; of rows that are asked for by `query-all-ids` only the id. */
export function pageResult<Row>(
  page: TablePage<Row>,
  idOf: (row: Row) => string,
  toResource: (row: Row) => Resource,
): QueryResult {
  return {
    kind: 'query',
    result: page.rows.map((row) => (page.idsOnly ? resource(idOf(row), null, {}) : toResource(row))),
    ...pageTotals(page),
  };
}

/** Where a page ends, and how many rows there are in all. */
export function pageTotals({
  cookie,
  total,
  totalPolicy,
  estimated,
}: Omit<TablePage<unknown>, 'rows' | 'idsOnly'>): Omit<QueryResult, 'kind' | 'result'> {
  return {
    pagedResultsCookie: cookie,
    totalPagedResultsPolicy: totalPolicy,
    totalPagedResults: total,
    ...(estimated === undefined ? {} : { estimated }),
  };
}
