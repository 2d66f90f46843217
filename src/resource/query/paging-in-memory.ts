import type { JsonObject } from '#json/index.ts';
import { NO_PAGING, type Page, type Paging } from './paging.ts';
import { formatPageCookie, type PagedQuery, parsePageCookie } from './paging-cookie.ts';
import type { QueryFilter } from './query-filter.ts';
import { compileFilter } from './query-filter-match.ts';
import { compareSortTuples, type SortKey, type SortValue, sortTuple, totalOrder } from './sort-key.ts';

export interface InMemoryQuery {
  readonly scope: string;
  readonly filter: QueryFilter;
  readonly sortKeys?: readonly SortKey[];
  readonly paging?: Paging;
}

/**
 * Filter, sort and cut a collection that is small enough to be held: configuration, nodes, jobs of this node.
 * Each object carries its `_id`; answers are the same as those of a query on Postgres, and so are the cookies.
 *
 * @throws BadRequestError `PAGING_BAD_COOKIE`
 */
export function applyQueryInMemory<Row extends JsonObject>(
  objects: Iterable<Row>,
  query: InMemoryQuery,
): Page<Row> {
  const order = totalOrder(query.sortKeys ?? []);
  const matches = compileFilter(query.filter);
  const sorted = [...objects]
    .filter(matches)
    .map((row) => ({ row, tuple: sortTuple(order, row) }))
    .sort((left, right) => compareSortTuples(order, left.tuple, right.tuple));
  const paging = query.paging ?? NO_PAGING;
  if (paging.pageSize === 0) return { rows: sorted.map(({ row }) => row), cookie: null, total: -1 };

  const paged: PagedQuery = { scope: query.scope, filter: query.filter, order };
  const start = startOf(paged, paging, sorted);
  const end = start + paging.pageSize;
  const last = sorted[end - 1];
  return {
    rows: sorted.slice(start, end).map(({ row }) => row),
    cookie: last !== undefined && end < sorted.length ? formatPageCookie(paged, last.tuple) : null,
    total: paging.totalPolicy === 'NONE' ? -1 : sorted.length,
  };
}

function startOf(
  query: PagedQuery,
  { cookie, offset }: Paging,
  sorted: readonly { readonly tuple: readonly SortValue[] }[],
): number {
  if (cookie === undefined) return offset;
  const start = parsePageCookie(query, cookie);
  if (start.kind === 'offset') return start.offset;
  const index = sorted.findIndex(({ tuple }) => compareSortTuples(query.order, tuple, start.tuple) > 0);
  return index === -1 ? sorted.length : index;
}
