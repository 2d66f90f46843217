import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import {
  formatPath,
  type PlainQuery,
  parsePageCookie,
  plainQuery,
  type QueryRequest,
  totalOrder,
} from '#resource/index.ts';
import { filterSql } from './filter-sql.ts';
import type { QueryTable } from './filter-sql-table.ts';
import { cutPage, pageSql } from './keyset-page.ts';

export interface TablePage<Row> {
  readonly rows: readonly Row[];
  readonly idsOnly: boolean;
  readonly cookie: string | null;
  /** -1 when it was not counted. */
  readonly total: number;
}

export interface TableSource {
  readonly table: QueryTable;
  readonly select: RawBuilder<unknown>;
  readonly from: RawBuilder<unknown>;
}

/** One page of a table or view, filtered and sorted by Postgres. */
export async function queryTable<Row>(
  db: Db,
  request: QueryRequest,
  { table, select, from }: TableSource,
  plain: PlainQuery = plainQuery(request),
): Promise<TablePage<Row>> {
  const { filter, idsOnly } = plain;
  const order = totalOrder(request.sortKeys);
  const query = { scope: formatPath(request.path), filter, order };
  const { cookie, offset, pageSize, totalPolicy } = request.paging;
  const start =
    cookie !== undefined
      ? parsePageCookie(query, cookie)
      : offset > 0
        ? { kind: 'offset' as const, offset }
        : undefined;
  const where = [filterSql(filter, table)];
  const { rows } = await pageSql<Row>({
    select,
    from,
    where,
    table,
    order,
    pageSize,
    ...(start === undefined ? {} : { start }),
  }).execute(db);
  const page = cutPage(rows, pageSize, query);
  if (totalPolicy === 'NONE' || pageSize === 0) return { ...page, idsOnly, total: -1 };
  const counted = await sql<{ count: number }>`
    select count(*) as count from ${from} where ${sql.join(where, sql` and `)}`.execute(db);
  return { ...page, idsOnly, total: counted.rows[0]!.count };
}
