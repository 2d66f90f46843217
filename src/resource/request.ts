import type { JsonObject, JsonValue, Pointer } from '#json/index.ts';
import type { Paging } from './query/paging.ts';
import type { QueryFilter } from './query/query-filter.ts';
import type { SortKey } from './query/sort-key.ts';
import type { ResourcePath } from './resource-path.ts';

/** What a query with times asks and sorts by: when objects were made, and changed last. */
export const CREATED_AT = '_createdAt';
export const UPDATED_AT = '_updatedAt';
/** What a query for a client (`knownTo`) asks and sorts by: what that calls an object. */
export const KNOWN_AS = '_knownAs';

/** What a query with times asks of a relationship: the ids of the other ends, as a list. */
export function otherEndsOf(property: string): string {
  return `${OTHER_ENDS}${property}`;
}

/** The relationship that is asked for so; undefined of any other name. */
export function relationshipIn(name: string): string | undefined {
  return name.startsWith(OTHER_ENDS) ? name.slice(OTHER_ENDS.length) : undefined;
}

const OTHER_ENDS = '_otherEnds/';

/** What all seven kinds of request have. */
interface RequestBase {
  readonly path: ResourcePath;
  /** `_fields`; empty for all default fields. */
  readonly fields: readonly Pointer[];
  /** Selected fields keep their places; without it each stands under the last token of its pointer. */
  readonly nestedFields?: boolean;
  /** URL parameters without a meaning of their own; handlers and scripts read them. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Run for real, roll back, and answer with what would have changed. */
  readonly dryRun?: boolean;
  /**
   * The times at which an object was made and changed last come along. A query may filter and sort by them (`CREATED_AT`, `UPDATED_AT`);
   * a filter may ask for other ends, too (`otherEndsOf`). Only requests from inside have it.
   */
  readonly withTimes?: true;
  /**
   * The name of a SCIM client: the answer brings its `externalId` of the object along, a read only where that costs no statement of its own. A
   * query may ask for it (`KNOWN_AS`). Only requests from inside have it.
   */
  readonly knownTo?: string;
  /** How many of those whom a rehearsed change is about are named; default 100. */
  readonly changesLimit?: number;
  /** Whether the trace of a rehearsal shows what each step has made of what it changed. */
  readonly traceValues?: boolean;
  /**
   * The revision that an access rule looked at when it granted this change by what is stored; null if there was no object. Whoever makes
   * another request of this one hands it on: the change is tried again where the object has another revision by then.
   */
  readonly judgedAt?: string | null;
}

export interface CreateRequest extends RequestBase {
  readonly method: 'create';
  /** Null lets the server choose. */
  readonly newResourceId: string | null;
  readonly content: JsonObject;
  /** It came as the action `create`, which a resource may tell from a create. */
  readonly byAction?: boolean;
  /** A PUT without preconditions: when the object exists, it is updated instead. */
  readonly orUpdate?: boolean;
}

export interface ReadRequest extends RequestBase {
  readonly method: 'read';
  /** The media type as which one field is wanted plain; without `_fields` the resource says which. */
  readonly mimeType?: string;
  /** A change judged at the revision that is found follows: what that needs besides comes along. Only requests from inside have it. */
  readonly toChange?: true;
}

export interface UpdateRequest extends RequestBase {
  readonly method: 'update';
  /** Null for any revision. */
  readonly revision: string | null;
  readonly content: JsonObject;
}

export interface DeleteRequest extends RequestBase {
  readonly method: 'delete';
  readonly revision: string | null;
}

export interface PatchRequest extends RequestBase {
  readonly method: 'patch';
  readonly revision: string | null;
  readonly operations: readonly PatchOperation[];
}

export interface ActionRequest extends RequestBase {
  readonly method: 'action';
  readonly action: string;
  /** Null when there is no body. */
  readonly content: JsonValue;
}

export interface QueryRequest extends RequestBase {
  readonly method: 'query';
  readonly queryId: string | null;
  readonly queryExpression: string | null;
  readonly queryFilter: QueryFilter | null;
  readonly sortKeys: readonly SortKey[];
  readonly paging: Paging;
}

export type Request =
  | CreateRequest
  | ReadRequest
  | UpdateRequest
  | DeleteRequest
  | PatchRequest
  | ActionRequest
  | QueryRequest;

export type RequestMethod = Request['method'];

/** The kinds that may change something; their outermost request owns a unit of work. */
export function isWrite(request: Request): boolean {
  return request.method !== 'read' && request.method !== 'query';
}

export type PatchOperation = { readonly field: Pointer } & (
  | {
      readonly operation: 'add' | 'replace' | 'transform';
      readonly value: JsonValue;
      readonly from?: undefined;
    }
  | { readonly operation: 'increment'; readonly value: number; readonly from?: undefined }
  /** With a value, removes what equals it. */
  | { readonly operation: 'remove'; readonly value?: JsonValue; readonly from?: undefined }
  | { readonly operation: 'move' | 'copy'; readonly from: Pointer; readonly value?: undefined }
);

export type PatchOperationName = PatchOperation['operation'];
