import type { QueryRequest } from '../request.ts';
import { parsePath } from '../resource-path.ts';
import { NO_PAGING } from './paging.ts';

/** The query that finds all of a collection: who may ask that may find any of its objects. */
export function queryOfAll(collection: string): QueryRequest {
  return {
    method: 'query',
    path: parsePath(collection),
    fields: [],
    parameters: {},
    queryId: null,
    queryExpression: null,
    queryFilter: { kind: 'literal', value: true },
    sortKeys: [],
    paging: NO_PAGING,
  };
}
