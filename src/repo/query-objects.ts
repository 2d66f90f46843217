import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { PlainQuery, QueryRequest } from '#resource/index.ts';
import { objectTable, type PropertyType } from './filter-sql-table.ts';
import type { ObjectStore, StoredObject } from './object-store.ts';
import { queryTable, type TablePage } from './query-table.ts';

/**
 * One page of the objects of a store that match.
 *
 * @param propertyTypes what the schema promises of properties, by pointer such as `/userName`; lets indexes serve
 */
export function queryObjects(
  db: Db,
  store: ObjectStore,
  request: Pick<QueryRequest, 'path' | 'sortKeys' | 'paging'>,
  query: PlainQuery,
  propertyTypes?: ReadonlyMap<string, PropertyType>,
): Promise<TablePage<StoredObject>> {
  const source = {
    table: objectTable(propertyTypes === undefined ? {} : { propertyTypes }),
    select: sql`id, rev, data`,
    from: sql`${sql.table(store.table)}`,
    // A literal, because the partial indexes of the type serve only a condition that is constant.
    where: [sql<boolean>`type = ${sql.lit(store.type)}`],
    estimates: true,
  };
  return queryTable<StoredObject>(db, request, source, query);
}
