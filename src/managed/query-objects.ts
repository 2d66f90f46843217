import { firstOf } from '#json/index.ts';
import { objectStore, pageTotals, queryObjects as queryStore, timesOf } from '#repo/index.ts';
import {
  type Context,
  plainQuery,
  pointersOf,
  type QueryRequest,
  type QueryResult,
  questionReaderOf,
  relationshipIn,
  resource,
  type Times,
  warnOfUnknownField,
} from '#resource/index.ts';
import type { ManagedPlatform } from './managed-platform.ts';
import type { ManagedType } from './managed-type.ts';
import { otherEndsColumn } from './relationship/edge-query-repository.ts';
import { queryOfCaller } from './retrieve/query-of-caller.ts';
import { retrieveObjects } from './retrieve/retrieve-objects.ts';
import { runsHooks } from './retrieve/runs-hooks.ts';

/** One page of the objects of a type, each as a read of it would show it. */
export async function queryObjects(
  platform: ManagedPlatform,
  context: Context,
  request: QueryRequest,
  type: ManagedType,
): Promise<QueryResult> {
  const asked = plainQuery(request, platform.queries());
  const { query, sortKeys } = queryOfCaller(context, type.privates, asked, request.sortKeys);
  const db = await questionReaderOf(platform, context);
  const known = { types: type.propertyTypes, indexed: type.indexed };
  const store = objectStore(['managed', type.name]);
  const page = await queryStore(
    db,
    store,
    { ...request, sortKeys },
    query,
    known,
    endsAskedFor(type, request),
  );
  const contents = query.idsOnly
    ? page.rows.map(() => ({}))
    : await retrieveObjects(
        {
          platform,
          context,
          type,
          request,
          fields: request.fields,
          runsHooks: await runsHooks(platform, context, request),
        },
        page.rows,
      );
  return {
    kind: 'query',
    result: page.rows.map((row, index) => ({
      ...resource(row.id, String(row.rev), contents[index]!),
      ...(request.withTimes === true ? showTimes(timesOf(row)) : {}),
      ...(row.external_id === undefined ? {} : { externalId: row.external_id }),
      fieldsSelected: true,
    })),
    ...pageTotals(page),
    ...doubts(type, { filter: asked.filter, sortKeys: request.sortKeys }),
  };
}

/** What stands at the other ends of relationships that the filter asks for, by their names in it. */
function endsAskedFor(type: ManagedType, { withTimes, queryFilter }: QueryRequest) {
  const names = withTimes === true && queryFilter !== null ? pointersOf(queryFilter).map(firstOf) : [];
  return new Map(
    [...new Set(names)].flatMap((name) => {
      const property = relationshipIn(name);
      return property === undefined
        ? []
        : [[name, otherEndsColumn(`managed/${type.name}`, property)] as const];
    }),
  );
}

function showTimes(times: Times | null): { readonly times?: Times } {
  return times === null ? {} : { times };
}

/** An object may have properties that its type does not declare; a filter by one is a slip all the same, mostly. */
function doubts(type: ManagedType, query: Parameters<typeof warnOfUnknownField>[0]) {
  // What is private is not even suggested.
  const known = [...type.compiled.keys()].filter((name) => !type.privates.has(name));
  const asked = [...known, ...type.privates];
  return type.compiled.size === 0 ? {} : warnOfUnknownField(query, `managed/${type.name}`, asked, known);
}
