import { getAt, parsePointer } from '#json/index.ts';
import { type Connection, type Paging, parseQueryParameters, type QueryResult } from '#resource/index.ts';
import type { FoundObject } from './claimable.ts';
import type { ScanDefinition } from './scan-definition.ts';

const IDS_ONLY = 'query-all-ids';

export interface FoundPage {
  readonly objects: readonly FoundObject[];
  readonly cookie: string | null;
  /** -1 when it was not counted. */
  readonly total: number;
}

/** One page of what the query of a scan finds. The macros of the query have been expanded. */
export async function findObjects(
  connection: Connection,
  definition: ScanDefinition,
  paging: Paging,
): Promise<FoundPage> {
  const { queryFilter, queryId, queryExpression, sortKeys, parameters } = definition.query;
  const started = parsePointer(definition.started);
  const result: QueryResult = await connection.query(definition.object, {
    ...parseQueryParameters({
      ...(queryFilter === null ? {} : { _queryFilter: queryFilter }),
      ...(queryId === null ? {} : { _queryId: queryId }),
      ...(queryExpression === null ? {} : { _queryExpression: queryExpression }),
      ...(sortKeys === null ? {} : { _sortKeys: sortKeys }),
    }),
    paging,
    fields: [['_id'], ['_rev'], started],
    parameters,
  });
  return {
    objects: result.result.map(({ id, revision, content }): FoundObject => {
      // A selected field stands under the last name of its pointer, unless the resource selects no fields.
      const at = getAt(content, started) ?? getAt(content, started.slice(-1));
      // What answers with ids only says nothing of the state that the revision stands for.
      return [id ?? '', queryId === IDS_ONLY ? null : revision, typeof at === 'string' ? at : null];
    }),
    cookie: result.pagedResultsCookie,
    total: result.totalPagedResults,
  };
}
