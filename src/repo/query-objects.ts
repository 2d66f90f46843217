import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { formatPath, KNOWN_AS, type PlainQuery, type QueryRequest, totalOrder } from '#resource/index.ts';
import { objectTable, type QueryColumn } from './filter-sql-table.ts';
import { cutPage } from './keyset-page.ts';
import { type KnownProperties, lookUp } from './look-up.ts';
import type { ObjectStore, StoredObject } from './object-store.ts';
import { queryTable, type TablePage } from './query-table.ts';

/**
 * One page of the objects of a store that match.
 *
 * @param known what the schema promises of properties; lets indexes serve
 * @param more what else a query with times may ask for
 */
export async function queryObjects(
  db: Db,
  store: ObjectStore,
  request: Pick<QueryRequest, 'path' | 'sortKeys' | 'paging' | 'withTimes' | 'knownTo'>,
  query: PlainQuery,
  known?: KnownProperties,
  more: ReadonlyMap<string, QueryColumn> = new Map(),
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
  const { withTimes = false, knownTo } = request;
  const name = knownTo === undefined ? undefined : nameOf(store, knownTo);
  const select = withTimes ? sql`id, rev, data, created_at, updated_at` : sql`id, rev, data`;
  const source = {
    table: objectTable({
      withTimes,
      more: name === undefined ? more : new Map([...more, [KNOWN_AS, { expression: name, type: 'text' }]]),
      ...(known === undefined ? {} : { propertyTypes: known.types }),
    }),
    select: name === undefined ? select : sql`${select}, ${name} as external_id`,
    from: sql`${sql.table(store.table)}`,
    // A literal, because the partial indexes of the type serve only a condition that is constant.
    where: [sql<boolean>`type = ${sql.lit(store.type)}`],
    isConstant: true,
    estimates: true,
  };
  return queryTable<StoredObject>(db, request, source, query);
}

/** What a client calls an object. */
function nameOf({ table, type }: ObjectStore, client: string): RawBuilder<unknown> {
  return sql`(select n.external_id from scim_external_id n
    where n.client = ${client} and n.type = ${sql.lit(type)} and n.id = ${sql.ref(`${table}.id`)})`;
}
