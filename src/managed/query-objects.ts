import { objectStore, queryObjects as queryStore } from '#repo/index.ts';
import {
  type Context,
  dbOf,
  plainQuery,
  type QueryRequest,
  type QueryResult,
  resource,
} from '#resource/index.ts';
import type { ManagedPlatform } from './managed-platform.ts';
import type { ManagedType } from './managed-type.ts';
import { hidePrivate } from './retrieve/hide-private.ts';
import { retrieveObjects } from './retrieve/retrieve-objects.ts';

/** One page of the objects of a type, each as a read of it would show it. */
export async function queryObjects(
  platform: ManagedPlatform,
  context: Context,
  request: QueryRequest,
  type: ManagedType,
): Promise<QueryResult> {
  const asked = plainQuery(request, platform.queries());
  const isExternal = context.client.isExternal;
  const { query, sortKeys } = isExternal
    ? hidePrivate(type.privates, asked, request.sortKeys)
    : { query: asked, sortKeys: request.sortKeys };
  const db = await dbOf(platform, context);
  const page = await queryStore(db, objectStore(['managed', type.name]), { ...request, sortKeys }, query, {
    types: type.propertyTypes,
    indexed: type.indexed,
  });
  const runsHooks = request.parameters['executeOnRetrieve'] !== 'false';
  const contents = query.idsOnly
    ? page.rows.map(() => ({}))
    : await retrieveObjects(
        { platform, context, type, request, fields: request.fields, runsHooks },
        page.rows,
      );
  return {
    kind: 'query',
    result: page.rows.map(({ id, rev }, index) => ({
      ...resource(id, String(rev), contents[index]!),
      fieldsSelected: true,
    })),
    pagedResultsCookie: page.cookie,
    totalPagedResultsPolicy: page.totalPolicy,
    totalPagedResults: page.total,
  };
}
