import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import {
  formatPath,
  type PlainQuery,
  parsePageCookie,
  type QueryRequest,
  refuseUnknownField,
  type TotalPolicy,
  totalOrder,
} from '#resource/index.ts';
import { countRows, estimateRows } from './count-repository.ts';
import { filterSql } from './filter-sql.ts';
import type { QueryTable } from './filter-sql-table.ts';
import { cutPage, pageSql } from './keyset-page.ts';

export interface TablePage<Row> {
  readonly rows: readonly Row[];
  readonly idsOnly: boolean;
  readonly cookie: string | null;
  /** -1 when it was not counted. */
  readonly total: number;
  /** How it was asked for. */
  readonly totalPolicy: TotalPolicy;
  /** It is what the planner expects, and not a count. */
  readonly estimated?: true;
}

export interface TableSource {
  readonly table: QueryTable;
  readonly select: RawBuilder<unknown>;
  readonly from: RawBuilder<unknown>;
  /** What holds for every row of the collection, before any filter. */
  readonly where?: readonly RawBuilder<boolean>[];
  /** `where` holds no value that would make one plan better than another. */
  readonly isConstant?: boolean;
  /** Where the planner knows too little of the table to estimate, rows are counted instead. */
  readonly estimates?: boolean;
}

/** One page of a table or view, filtered and sorted by Postgres: one statement, and one more when a total is asked for. */
export async function queryTable<Row>(
  db: Db,
  request: Pick<QueryRequest, 'path' | 'sortKeys' | 'paging'>,
  { table, select, from, where: scope = [], isConstant = false, estimates = false }: TableSource,
  { filter, idsOnly }: PlainQuery,
): Promise<TablePage<Row>> {
  if (table.document === undefined) {
    refuseUnknownField({ filter, sortKeys: request.sortKeys }, [...table.columns.keys()]);
  }
  const order = totalOrder(request.sortKeys);
  const query = { scope: formatPath(request.path), filter, order };
  const { cookie, offset, pageSize, totalPolicy } = request.paging;
  const start =
    cookie !== undefined
      ? parsePageCookie(query, cookie)
      : offset > 0
        ? { kind: 'offset' as const, offset }
        : undefined;
  const where = [...scope, filterSql(filter, table)];
  const { rows } = await pageSql<Row>({
    select,
    from,
    where,
    table,
    order,
    pageSize,
    plansOnce: isConstant && filter.kind === 'literal',
    ...(start === undefined ? {} : { start }),
  }).execute(db);
  const page = { ...cutPage(rows, pageSize, query), idsOnly };
  if (totalPolicy === 'NONE' || pageSize === 0) return { ...page, total: -1, totalPolicy: 'NONE' };
  // The last page has been seen to its end.
  const skipped =
    start === undefined ? 0 : start.kind === 'offset' && rows.length > 0 ? start.offset : undefined;
  if (page.cookie === null && skipped !== undefined) {
    return { ...page, total: skipped + rows.length, totalPolicy: 'EXACT' };
  }
  const matching = sql`select 1 from ${from} where ${sql.join(where, sql` and `)}`;
  if (totalPolicy === 'ESTIMATE' && estimates) {
    return { ...page, ...(await estimateRows(db, matching)), totalPolicy };
  }
  return { ...page, total: await countRows(db, matching), totalPolicy: 'EXACT' };
}
