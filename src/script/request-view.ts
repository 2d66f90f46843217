import { formatPointer, type JsonObject } from '#json/index.ts';
import { formatPath, formatQueryFilter, formatSortKeys, type Request } from '#resource/index.ts';

/**
 * The request as scripts see it: `method` in lower case, `requestType` in upper case, and the members of its
 * kind. `resourcePath` is relative to the route that the script serves.
 */
export function requestView(request: Request, resourcePath: string = formatPath(request.path)): JsonObject {
  const common: JsonObject = {
    method: request.method,
    requestType: request.method.toUpperCase(),
    resourcePath,
    fields: request.fields.map(formatPointer),
    additionalParameters: { ...request.parameters },
  };
  switch (request.method) {
    case 'create':
      return { ...common, newResourceId: request.newResourceId, content: request.content };
    case 'read':
      return common;
    case 'update':
      return { ...common, revision: request.revision, content: request.content };
    case 'delete':
      return { ...common, revision: request.revision };
    case 'patch':
      return {
        ...common,
        revision: request.revision,
        patchOperations: request.operations.map(({ operation, field, value, from }) => ({
          operation,
          field: formatPointer(field),
          ...(value === undefined ? {} : { value }),
          ...(from === undefined ? {} : { from: formatPointer(from) }),
        })),
      };
    case 'action':
      return { ...common, action: request.action, content: request.content };
    case 'query':
      return {
        ...common,
        queryId: request.queryId,
        queryExpression: request.queryExpression,
        queryFilter: request.queryFilter === null ? null : formatQueryFilter(request.queryFilter),
        sortKeys: request.sortKeys.map((key) => formatSortKeys([key])),
        pageSize: request.paging.pageSize,
        pagedResultsOffset: request.paging.offset,
        pagedResultsCookie: request.paging.cookie ?? null,
        totalPagedResultsPolicy: request.paging.totalPolicy,
      };
  }
}
