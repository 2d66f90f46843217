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
import { filterSql } from './filter-sql.ts';
import type { QueryTable } from './filter-sql-table.ts';
import { cutPage, pageSql } from './keyset-page.ts';

export interface TablePage<Row> {
  readonly rows: readonly Row[];
  readonly idsOnly: boolean;
  readonly cookie: string | null;
  /** -1 when it was not counted. */
  readonly total: number;
  /** How it was counted. */
  readonly totalPolicy: TotalPolicy;
}

export interface TableSource {
  readonly table: QueryTable;
  readonly select: RawBuilder<unknown>;
  readonly from: RawBuilder<unknown>;
  /** What holds for every row of the collection, before any filter. */
  readonly where?: readonly RawBuilder<boolean>[];
  /** Where the planner knows too little of the table to estimate, rows are counted instead. */
  readonly estimates?: boolean;
}

/** One page of a table or view, filtered and sorted by Postgres: one statement, and one more when a total is asked for. */
export async function queryTable<Row>(
  db: Db,
  request: Pick<QueryRequest, 'path' | 'sortKeys' | 'paging'>,
  { table, select, from, where: scope = [], estimates = false }: TableSource,
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
    ...(start === undefined ? {} : { start }),
  }).execute(db);
  const page = { ...cutPage(rows, pageSize, query), idsOnly };
  if (totalPolicy === 'NONE' || pageSize === 0) return { ...page, total: -1, totalPolicy: 'NONE' };
  const matching = sql`select 1 from ${from} where ${sql.join(where, sql` and `)}`;
  if (totalPolicy === 'ESTIMATE' && estimates) {
    return { ...page, total: await estimateRows(db, matching), totalPolicy };
  }
  return { ...page, total: await countRows(db, matching), totalPolicy: 'EXACT' };
}

async function countRows(db: Db, matching: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from (${matching}) matching`.execute(
    db,
  );
  return rows[0]!.count;
}

/** So few rows are counted rather than estimated, if the planner thinks that cheap: a tenth of a second, roughly. */
const COUNTED_ROWS = 10_000;
const COUNTED_COST = 50_000;

/** What the planner expects, from its statistics, unless counting costs next to nothing: those of small tables are gathered late. */
async function estimateRows(db: Db, matching: RawBuilder<unknown>): Promise<number> {
  const first = sql`${matching} limit ${sql.lit(COUNTED_ROWS + 1)}`;
  if ((await planOf(db, first)).cost > COUNTED_COST) return (await planOf(db, matching)).rows;
  const counted = await countRows(db, first);
  return counted <= COUNTED_ROWS ? counted : Math.max(counted, (await planOf(db, matching)).rows);
}

async function planOf(db: Db, query: RawBuilder<unknown>): Promise<{ rows: number; cost: number }> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number; 'Total Cost': number } }] }>`
    explain (format json) ${query}`.execute(db);
  const plan = rows[0]!['QUERY PLAN'][0].Plan;
  return { rows: Math.round(plan['Plan Rows']), cost: plan['Total Cost'] };
}
