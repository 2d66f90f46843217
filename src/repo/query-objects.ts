import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { formatPath, type PlainQuery, type QueryRequest, totalOrder } from '#resource/index.ts';
import { objectTable } from './filter-sql-table.ts';
import { cutPage } from './keyset-page.ts';
import { type KnownProperties, lookUp } from './look-up.ts';
import type { ObjectStore, StoredObject } from './object-store.ts';
import { queryTable, type TablePage } from './query-table.ts';

/**
 * One page of the objects of a store that match.
 *
 * @param known what the schema promises of properties; lets indexes serve
 */
export async function queryObjects(
  db: Db,
  store: ObjectStore,
  request: Pick<QueryRequest, 'path' | 'sortKeys' | 'paging' | 'withTimes'>,
  query: PlainQuery,
  known?: KnownProperties,
): Promise<TablePage<StoredObject>> {
  const found =
    known === undefined || request.withTimes === true
      ? undefined
      : await lookUp(db, store, request, query, known);
  if (found !== undefined) {
    const paged = { scope: formatPath(request.path), filter: query.filter, order: totalOrder([]) };
    const page = cutPage(found, request.paging.pageSize, paged);
    return { ...page, idsOnly: query.idsOnly, total: -1, totalPolicy: 'NONE' };
  }
  const { withTimes = false } = request;
  const source = {
    table: objectTable({ withTimes, ...(known === undefined ? {} : { propertyTypes: known.types }) }),
    select: withTimes ? sql`id, rev, data, created_at, updated_at` : sql`id, rev, data`,
    from: sql`${sql.table(store.table)}`,
    // A literal, because the partial indexes of the type serve only a condition that is constant.
    where: [sql<boolean>`type = ${sql.lit(store.type)}`],
    isConstant: true,
    estimates: true,
  };
  return queryTable<StoredObject>(db, request, source, query);
}
