import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import {
  formatPath,
  type PlainQuery,
  parsePageCookie,
  type QueryRequest,
  type TotalPolicy,
  totalOrder,
} from '#resource/index.ts';
import { filterSql } from './filter-sql.ts';
import { objectTable, type PropertyType } from './filter-sql-table.ts';
import { cutPage, pageSql } from './keyset-page.ts';
import type { ObjectStore, StoredObject } from './object-store.ts';

export interface ObjectPage {
  readonly rows: readonly StoredObject[];
  readonly cookie: string | null;
  readonly total: number;
  readonly totalPolicy: TotalPolicy;
}

/**
 * One page of the objects of a store that match, as one statement (and one more when a total is asked for).
 *
 * @param propertyTypes what the schema promises of properties, by pointer such as `/userName`; lets indexes serve
 */
export async function queryObjects(
  db: Db,
  store: ObjectStore,
  request: Pick<QueryRequest, 'path' | 'sortKeys' | 'paging'>,
  { filter }: PlainQuery,
  propertyTypes?: ReadonlyMap<string, PropertyType>,
): Promise<ObjectPage> {
  const table = objectTable(propertyTypes === undefined ? {} : { propertyTypes });
  const order = totalOrder(request.sortKeys);
  const query = { scope: formatPath(request.path), filter, order };
  const { cookie, offset, pageSize, totalPolicy } = request.paging;
  const start =
    cookie !== undefined
      ? parsePageCookie(query, cookie)
      : offset > 0
        ? { kind: 'offset' as const, offset }
        : undefined;
  const from = sql`${sql.table(store.table)}`;
  // A literal, because the partial indexes of the type serve only a condition that is constant.
  const where = [sql<boolean>`type = ${sql.lit(store.type)}`, filterSql(filter, table)];
  const { rows } = await pageSql<StoredObject>({
    select: sql`id, rev, data`,
    from,
    where,
    table,
    order,
    pageSize,
    ...(start === undefined ? {} : { start }),
  }).execute(db);
  const page = cutPage(rows, pageSize, query);
  if (totalPolicy === 'NONE') return { ...page, total: -1, totalPolicy };
  const matching = sql`from ${from} where ${sql.join(where, sql` and `)}`;
  const total = totalPolicy === 'EXACT' ? await countRows(db, matching) : await estimateRows(db, matching);
  return { ...page, total, totalPolicy };
}

async function countRows(db: Db, matching: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count ${matching}`.execute(db);
  return rows[0]!.count;
}

/** What the planner expects, from its statistics: costs nothing, however many rows there are. */
async function estimateRows(db: Db, matching: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>`
    explain (format json) select 1 ${matching}`.execute(db);
  return Math.round(rows[0]!['QUERY PLAN'][0].Plan['Plan Rows']);
}
