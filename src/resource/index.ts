/**
 * The request model: seven kinds of request, paths, the router, its filters, the context, queries.
 *
 * Words: a *request* asks a *resource* at a *path*; a *provider* answers for a collection or a singleton; a
 * *filter* stands in front of all of them; a *connection* makes requests inside the server. Invariants: every
 * request takes the one road through `Router.handle`; the outermost write owns the unit of work.
 */
export { answerFromMemory, type PlainQuery, type PredefinedQueries, plainQuery } from './answer-query.ts';
export { type Allowance, Budget, type Expense, REQUEST_ALLOWANCE, RUN_ALLOWANCE } from './budget.ts';
export { type CallOptions, Connection, type QueryOptions, type RequestSink } from './connection.ts';
export {
  type ClientContext,
  type Context,
  type ContextData,
  clientData,
  contextData,
  type HttpContext,
  httpData,
  internalContext,
  nextPart,
  type RouterContext,
  rootContext,
  type SecurityContext,
  SYSTEM,
  systemContext,
} from './context.ts';
export type { ResourceDescription } from './description.ts';
export { type Filter, passing } from './filter.ts';
export { newIdOf, requireSameId } from './new-id.ts';
export { MOST_OBJECT_BYTES, requireStorableSize } from './object-size.ts';
export { NO_PAGING, type Page, type Paging, type TotalPolicy } from './paging.ts';
export {
  formatPageCookie,
  invalidPageCookie,
  type PagedQuery,
  type PageStart,
  parsePageCookie,
} from './paging-cookie.ts';
export { applyQueryInMemory } from './paging-in-memory.ts';
export { hasTransform, parsePatch } from './patch-operation.ts';
export { applyPatch, PatchedObject, type PatchOptions, type Transform } from './patched-object.ts';
export { personName } from './person-name.ts';
export { compilePredefinedQuery, type PredefinedQuery } from './predefined-query.ts';
export { PROTOCOL_PARAMETERS, refuseUnknownParameter } from './protocol-parameter.ts';
export {
  type CollectionProvider,
  collection,
  notFound,
  type ProviderDescription,
  type SingletonProvider,
  singleton,
  unknownAction,
  unsupported,
} from './provider.ts';
export {
  type Comparison,
  type FilterValue,
  isStorableText,
  pointersOf,
  type QueryFilter,
} from './query-filter.ts';
export { formatQueryFilter } from './query-filter-format.ts';
export { compileFilter, matchesFilter } from './query-filter-match.ts';
export { parseQueryFilter } from './query-filter-parser.ts';
export { parseQueryParameters, type QueryParameters } from './query-parameters.ts';
export { refuseEnvelopes } from './refuse-envelopes.ts';
export {
  type ActionRequest,
  type CreateRequest,
  type DeleteRequest,
  isWrite,
  type PatchOperation,
  type PatchRequest,
  type QueryRequest,
  type ReadRequest,
  type Request,
  type RequestMethod,
  type UpdateRequest,
} from './request.ts';
export { besideOf, dbOf, readerOf } from './request-database.ts';
export { formatPath, parsePath, type ResourcePath } from './resource-path.ts';
export {
  type ActionResult,
  actionResult,
  type QueryResult,
  queryResult,
  type Resource,
  type Response,
  resource,
} from './response.ts';
export type { RouteHandler, RouteMatch } from './route.ts';
export { type Road, Router } from './router.ts';
export { sealAnswers } from './sealed-answer.ts';
export { parseFields, placeField, resourceBody, selectFields } from './select-fields.ts';
export {
  beginningOf,
  formatSortKeys,
  parseSortKeys,
  SORTED_CHARACTERS,
  type SortKey,
  type SortValue,
  sortRank,
  sortTuple,
  totalOrder,
} from './sort-key.ts';
export { inUnitOfWork } from './unit-of-work-filter.ts';
export { refuseUnknownField, warnOfUnknownField } from './unknown-field.ts';
