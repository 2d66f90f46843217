import type { JsonObject, JsonValue } from '#json/index.ts';
import type { TotalPolicy } from './query/paging.ts';
import type { ResourcePath } from './resource-path.ts';

/** When an object was made and changed last, as `toISOString` writes. */
export interface Times {
  readonly created: string;
  readonly updated: string;
}

/** One resource as a handler answers it; `id` and `revision` are null for resources that have none. */
export interface Resource {
  readonly kind: 'resource';
  readonly id: string | null;
  readonly revision: string | null;
  readonly content: JsonValue;
  /** An upsert says which of the two it was. */
  readonly created?: boolean;
  /** Where they were asked for. */
  readonly times?: Times;
  /** What the client calls it, where that was asked for and has been read with it; null where it has no name for it. */
  readonly externalId?: string | null;
  /** The handler has selected the fields itself. */
  readonly fieldsSelected?: boolean;
}

export interface QueryResult {
  readonly kind: 'query';
  readonly result: readonly Resource[];
  readonly pagedResultsCookie: string | null;
  readonly totalPagedResultsPolicy: TotalPolicy;
  /** -1 when unknown. */
  readonly totalPagedResults: number;
  /** The total is no count: the database expects about so many. */
  readonly estimated?: true;
  /** What may be a mistake in the question, in sentences. */
  readonly warnings?: readonly string[];
}

export interface ActionResult {
  readonly kind: 'action';
  readonly content: JsonValue;
  /** The resource that the content is, with `_id` and `_rev`; then it is answered as a read of that would be. */
  readonly shows?: ResourcePath;
  /** For the HTTP response, when the action was asked for over HTTP. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The requests that were refused among several that came as one, as the audit tells of them; the others survive. */
  readonly refused?: readonly RefusedRequest[];
}

/** One of several requests that came together. */
export interface RefusedRequest extends JsonObject {
  /** The kind of the request, one of seven, in lower case. */
  readonly operation: string;
  readonly resource: string;
  readonly detail: JsonValue;
}

export type Response = Resource | QueryResult | ActionResult;

export function resource(id: string | null, revision: string | null, content: JsonObject): Resource {
  return { kind: 'resource', id, revision, content };
}

export function actionResult(content: JsonValue): ActionResult {
  return { kind: 'action', content };
}

/** All rows at once, of a collection that does not page. */
export function queryResult(result: readonly Resource[]): QueryResult {
  return {
    kind: 'query',
    result,
    pagedResultsCookie: null,
    totalPagedResultsPolicy: 'NONE',
    totalPagedResults: -1,
  };
}
