/**
 * The request model: seven kinds of request, paths, the router, its filters, the context, queries.
 *
 * Words: a *request* asks a *resource* at a *path*; a *provider* answers for a collection or a singleton; a
 * *filter* stands in front of all of them; a *connection* makes requests inside the server. Invariants: every
 * request takes the one road through `Router.handle`; the outermost write owns the unit of work.
 */

export { type Action, ActionTable } from './action-table.ts';
export { type ActionBody, bodyOf, listMember, NO_BODY, namesOf, textMember } from './body-schema.ts';
export { breathing, mapInTurns } from './budget.ts';
export {
  type ClientContext,
  type Context,
  type ContextData,
  clientData,
  contextData,
  type HttpContext,
  httpData,
  internalContext,
  isAdministrator,
  isWordOfCaller,
  nestedContext,
  nextContext,
  nextPart,
  rootContext,
  type SecurityContext,
  SYSTEM,
  systemContext,
  type WriteContext,
  writeContext,
} from './context.ts';
export type { ResourceDescription } from './description.ts';
export { familyOf, networkOf, readAddress } from './internet-address.ts';
export { asksForJsonSchema, JSON_SCHEMA_DRAFT } from './json-schema-format.ts';
export { type Language, languageOf } from './language.ts';
export { lineOf } from './line-of.ts';
export { missingPrint } from './missing-print.ts';
export { newIdOf, requireSameId } from './new-id.ts';
export { MOST_OBJECT_BYTES, requireStorableSize } from './object-size.ts';
export { hasTransform, parsePatch } from './patch/patch-operation.ts';
export { applyPatch, PatchedObject, type Transform } from './patch/patched-object.ts';
export { personName } from './person-name.ts';
export { PROTOCOL_PARAMETERS, refuseUnknownParameter } from './protocol-parameter.ts';
export {
  type CollectionProvider,
  collection,
  notFound,
  type ProviderDescription,
  type SingletonProvider,
  singleton,
  unsupported,
} from './provider.ts';
export {
  answerFromMemory,
  hasPredefinedQuery,
  type PlainQuery,
  type PredefinedQueries,
  plainQuery,
} from './query/answer-query.ts';
export { NO_PAGING, type Paging, type TotalPolicy } from './query/paging.ts';
export {
  formatPageCookie,
  invalidPageCookie,
  type PagedQuery,
  type PageStart,
  parsePageCookie,
} from './query/paging-cookie.ts';
export { compilePredefinedQuery } from './query/predefined-query.ts';
export {
  type Comparison,
  type FilterValue,
  isStorableText,
  lowerCaseOf,
  pointersOf,
  type QueryFilter,
} from './query/query-filter.ts';
export { formatQueryFilter } from './query/query-filter-format.ts';
export { compileFilter } from './query/query-filter-match.ts';
export { parseQueryFilter } from './query/query-filter-parser.ts';
export { queryOfAll } from './query/query-of-all.ts';
export { parseQueryParameters } from './query/query-parameters.ts';
export {
  beginningOf,
  formatSortKeys,
  parseSortKeys,
  SORTED_CHARACTERS,
  type SortKey,
  type SortValue,
  sortRank,
  totalOrder,
} from './query/sort-key.ts';
export {
  type ActionRequest,
  CREATED_AT,
  type CreateRequest,
  type DeleteRequest,
  isWrite,
  KNOWN_AS,
  otherEndsOf,
  type PatchOperation,
  type PatchRequest,
  type QueryRequest,
  type ReadRequest,
  type Request,
  type RequestMethod,
  relationshipIn,
  UPDATED_AT,
  type UpdateRequest,
} from './request.ts';
export { besideOf, dbOf, questionReaderOf, readerOf } from './request-database.ts';
export { formatPath, parsePath, type ResourcePath } from './resource-path.ts';
export {
  type ActionResult,
  actionResult,
  type QueryResult,
  queryResult,
  type RefusedRequest,
  type Resource,
  type Response,
  resource,
  type Times,
} from './response.ts';
export { Connection, type RequestSink } from './road/connection.ts';
export { type Filter, type Handle, passing } from './road/filter.ts';
export { refuseEnvelopes } from './road/refuse-envelopes.ts';
export type { RouteHandler, RouteMatch } from './road/route.ts';
export { type Road, Router } from './road/router.ts';
export { sealAnswers, selectFromSealed } from './road/sealed-answer.ts';
export { inUnitOfWork } from './road/unit-of-work-filter.ts';
export { parseFields, placeFields, resourceBody, selectFields } from './select-fields.ts';
export { refuseUnknownField, warnOfUnknownField } from './unknown-field.ts';
export { type Why, type WhyLink, whyOf } from './why.ts';
