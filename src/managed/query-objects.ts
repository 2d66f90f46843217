import { objectStore, queryObjects as queryStore } from '#repo/index.ts';
import { type Context, plainQuery, type QueryRequest, type QueryResult, resource } from '#resource/index.ts';
import type { ManagedPlatform } from './exchange.ts';
import type { ManagedType } from './managed-type.ts';

/** One page of the objects of a type. */
export async function queryObjects(
  platform: ManagedPlatform,
  context: Context,
  request: QueryRequest,
  type: ManagedType,
): Promise<QueryResult> {
  const query = plainQuery(request);
  const db = context.unitOfWork === null ? platform.database.db : await context.unitOfWork.db();
  const page = await queryStore(db, objectStore(['managed', type.name]), request, query, type.propertyTypes);
  return {
    kind: 'query',
    result: page.rows.map(({ id, rev, data }) => resource(id, String(rev), query.idsOnly ? {} : data)),
    pagedResultsCookie: page.cookie,
    totalPagedResultsPolicy: page.totalPolicy,
    totalPagedResults: page.total,
  };
}
