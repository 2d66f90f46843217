import { sql } from 'kysely';
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
import type { ObjectStore, StoredObject } from './object-repository.ts';

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
  const where = [sql<boolean>`type = ${store.type}`, filterSql(filter, table)];
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
  const { rows: counted } = await sql<{ count: number }>`
    select count(*) as count from ${from} where ${sql.join(where, sql` and `)}`.execute(db);
  return { ...page, total: counted[0]!.count, totalPolicy: 'EXACT' };
}
