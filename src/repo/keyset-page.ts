import { type RawBuilder, sql } from 'kysely';
import { formatPageCookie, type PagedQuery, type PageStart, type SortValue } from '#resource/index.ts';
import { all } from './filter-sql.ts';
import type { QueryTable } from './filter-sql-table.ts';
import {
  type KeysetSegment,
  keysetCondition,
  keysetSegments,
  openingSegments,
  segmentOrder,
} from './keyset.ts';
import { orderBySql, type SortColumn, sortColumns, sortTupleSql } from './sort-sql.ts';

export interface PageStatement {
  /** What stands between SELECT and FROM; the sort tuple is added. */
  readonly select: RawBuilder<unknown>;
  readonly from: RawBuilder<unknown>;
  readonly where: readonly RawBuilder<boolean>[];
  readonly table: QueryTable;
  /** As `totalOrder` gives it. */
  readonly order: PagedQuery['order'];
  readonly start?: PageStart;
  /** Rows of a page; one more is selected, so that the last page is known as such. 0 for all rows. */
  readonly pageSize: number;
  /**
   * Nothing but the place of the page changes from one to the next, so that one plan does for all of them. Postgres keeps it
   * where the statement says how many rows are wanted; otherwise it takes them for a tenth of the table, and plans each anew.
   */
  readonly plansOnce?: boolean;
}

/** Each size is a statement of its own, which sessions keep. */
const LARGEST_PLANNED_ONCE = 100;

export interface SortedRow {
  readonly sort_tuple: readonly SortValue[];
}

/**
 * One page of rows, in order, as a SELECT. After a cookie it costs the same on every page when the sort columns
 * are indexed, see `keysetSegments`; rows behind an offset are read and dropped.
 */
export function pageSql<Row>(statement: PageStatement): RawBuilder<Row & SortedRow> {
  const columns = sortColumns(statement.order, statement.table);
  const { start, pageSize } = statement;
  const isConstant = statement.plansOnce === true && pageSize <= LARGEST_PLANNED_ONCE;
  const rows = isConstant ? sql.lit(pageSize + 1) : sql.val(pageSize + 1);
  const limit = pageSize === 0 ? sql`` : sql`limit ${rows}::bigint`;
  const plain = columns.every((column) => column.kind === 'plain');
  if (start?.kind === 'after') {
    return plain
      ? segmentsSql(statement, columns, keysetSegments(columns, start.tuple), limit)
      : selectSql(statement, columns, keysetCondition(columns, start.tuple), limit);
  }
  if (start === undefined && pageSize > 0 && plain) {
    return segmentsSql(statement, columns, openingSegments(columns), limit);
  }
  const offset = start === undefined ? sql`` : sql`offset ${sql.val(start.offset)}::bigint`;
  return selectSql(statement, columns, sql`true`, sql`${limit} ${offset}`);
}

function selectSql<Row>(
  { select, from, where }: PageStatement,
  columns: readonly SortColumn[],
  segment: RawBuilder<boolean>,
  limit: RawBuilder<unknown>,
): RawBuilder<Row & SortedRow> {
  return sql`select ${select}, ${sortTupleSql(columns)} as sort_tuple from ${from}
    where ${all([...where, segment])} order by ${orderBySql(columns)} ${limit}`;
}

/** Each segment gives at most a page; the first rows of all segments are the page. */
function segmentsSql<Row>(
  statement: PageStatement,
  columns: readonly SortColumn[],
  segments: readonly KeysetSegment[],
  limit: RawBuilder<unknown>,
): RawBuilder<Row & SortedRow> {
  const [only] = segments;
  if (only !== undefined && segments.length === 1) {
    return selectSql(statement, columns, only.condition, limit);
  }
  const branches = segments.map(({ condition, fixed }, index) => {
    const order = segmentOrder(columns, fixed);
    // With its place in the segment, a row can be sorted outside without the sort columns.
    const place = sql`${sql.raw(String(index))} as page_segment, row_number() over (order by ${orderBySql(order)}) as page_position`;
    const select = sql`${statement.select}, ${place}`;
    return sql`(${selectSql({ ...statement, select }, order, condition, limit)})`;
  });
  return sql`select * from (${sql.join(branches, sql` union all `)}) as page
    order by page_segment, page_position ${limit}`;
}

/** Cuts off the row that was selected to see whether there is a next page. */
export function cutPage<Row extends SortedRow>(
  rows: readonly Row[],
  pageSize: number,
  query: PagedQuery,
): { readonly rows: readonly Row[]; readonly cookie: string | null } {
  const last = pageSize > 0 && rows.length > pageSize ? rows[pageSize - 1] : undefined;
  if (last === undefined) return { rows, cookie: null };
  return { rows: rows.slice(0, pageSize), cookie: formatPageCookie(query, last.sort_tuple) };
}
