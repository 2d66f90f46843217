import type { UnitOfWork } from '#database/index.ts';
import { PreconditionFailedError } from '#errors/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import type { StoredObject } from '#repo/index.ts';
import type {
  Context,
  CreateRequest,
  DeleteRequest,
  PatchRequest,
  ReadRequest,
  Request,
  Times,
  UpdateRequest,
  WriteContext,
} from '#resource/index.ts';
import type { PathsOfWays } from './derive/derive-properties.ts';
import type { Refreshed } from './derive/refresh-derived.ts';
import type { ManagedPlatform } from './managed-platform.ts';
import type { ManagedType } from './managed-type.ts';
import type { Edge } from './relationship/edge.ts';
import type { EdgeEdit, EditPlan } from './relationship/edge-edit.ts';
import type { EdgeSet } from './relationship/edge-set.ts';
import type { EdgeChange } from './relationship/plan-edges.ts';
import type { Relationship } from './relationship/relationship.ts';

/** The requests that run through the lifecycle; a query has a way of its own. */
export type LifecycleRequest = CreateRequest | ReadRequest | UpdateRequest | PatchRequest | DeleteRequest;
/** The requests that change something, and those that change what is there. */
export type WriteRequest = Exclude<LifecycleRequest, ReadRequest>;
export type ChangeRequest = Exclude<WriteRequest, CreateRequest>;

/** A request on its way through the lifecycle, as it was asked. Each step reads and fills it. */
export interface Exchange<R extends LifecycleRequest = LifecycleRequest, C extends Context = Context> {
  readonly platform: ManagedPlatform;
  readonly context: C;
  readonly request: R;
  /** The request that caused this one, as scripts see it: an action `patch` shows as an action. */
  readonly cause: Request;
  readonly type: ManagedType;
  /** Empty until a create has been given one. */
  id: string;
  /** What is stored, before this request; null on create. */
  stored: StoredObject | null;
  /** Nothing is locked: what is read may be changed by others, and is not stored then. */
  isLight: boolean;
  /** What is derived was read off this when the object was read; null where that is still to be asked. */
  paths: PathsOfWays | null;
  /** What was stored, decrypted, with the relationships that have been looked up; null on create. */
  before: JsonObject | null;
  /** The object in work: what will be stored. Never holds `_id` or `_rev`. */
  object: JsonObject;
  /** Properties that the caller has set without being shown what they were: nothing that it is answered depends on that. */
  readonly overwritten: Set<string>;
  /** The edges of the relationships that have been looked up, as they are now. */
  readonly edges: Map<Relationship, readonly Edge[]>;
  /** Relationships as the request wants them, taken out of the object. */
  wanted: ReadonlyMap<Relationship, JsonValue>;
  /** One edge to change, asked for at the relationship's own endpoint. */
  readonly edit: EdgeEdit | null;
  /** What that means for the edge as it is stored. */
  editPlan: EditPlan | null;
  /** The edge after the edit, or the one that it took away. */
  edited: { readonly edge: Edge; readonly isNew: boolean } | null;
  /** Every edge that this request made, changed or removed. */
  readonly edgeChanges: EdgeChange[];
  /** The same for edges that were made or removed many at a time: where they lead. */
  readonly edgeSets: EdgeSet[];
  /** Objects that may store something of this one or of its edges, by type. */
  readonly dependents: Map<ManagedType, Set<string>>;
  /** The dependents that did, and have been brought up to date, by the name of the type. */
  readonly refreshed: Map<string, Refreshed>;
  /** Nothing was asked to change; only what is calculated may have. */
  readonly isCheck: boolean;
  /** The answer goes to a script, not to the caller. */
  readonly isForScript: boolean;
  /** The revision after this request; null until it is known. */
  rev: number | null;
  /** When it was made and changed last; null until that is known. */
  times: Times | null;
  /** The unit of work in which this object was stored, and how many changes that had recorded then; null before. */
  storedAt: { readonly unitOfWork: UnitOfWork; readonly changes: number } | null;
  /** What the caller is answered. */
  answer: JsonObject | null;
  /** Nothing is left to store; the steps up to the answer do not run. */
  isUnchanged: boolean;
}

/** The exchange of a request that changes something. */
export type WriteExchange<R extends WriteRequest = WriteRequest> = Exchange<R, WriteContext>;

/** Its object has been read, and stays as it is. */
export type Loaded<R extends ChangeRequest = ChangeRequest> = WriteExchange<R> & {
  stored: StoredObject;
  rev: number;
};

/** There is an object in work, and what was stored before is in plain text; of a new one, nothing was. */
export type Planned = Creation | Change;
export type Creation = WriteExchange<CreateRequest> & { readonly stored: null; readonly before: null };
export type Change<R extends ChangeRequest = ChangeRequest> = Loaded<R> & { readonly before: JsonObject };

/** Its object is as the answer tells it: written, found to be as it is wanted already, or just read. */
export type Stored<E extends Exchange = Exchange> = E & { rev: number };

export interface ExchangeOptions {
  readonly cause?: Request;
  readonly edit?: EdgeEdit;
  readonly isCheck?: boolean;
  readonly isForScript?: boolean;
}

export function newExchange<R extends LifecycleRequest, C extends Context>(
  platform: ManagedPlatform,
  context: C,
  type: ManagedType,
  request: R,
  id: string,
  { cause = request, edit, isCheck = false, isForScript = false }: ExchangeOptions = {},
): Exchange<R, C> {
  return {
    platform,
    context,
    request,
    cause,
    type,
    id,
    stored: null,
    isLight: false,
    paths: null,
    before: null,
    object: {},
    overwritten: new Set(),
    edges: new Map(),
    wanted: new Map(),
    edit: edit ?? null,
    editPlan: null,
    edited: null,
    edgeChanges: [],
    edgeSets: [],
    dependents: new Map(),
    refreshed: new Map(),
    isCheck,
    isForScript,
    rev: null,
    times: null,
    storedAt: null,
    answer: null,
    isUnchanged: false,
  };
}

/** The path of the object, such as `managed/user/u1`. */
export function objectPath({ type, id }: Pick<Exchange, 'type' | 'id'>): string {
  return `managed/${type.name}/${id}`;
}

/** Where objects of the type stand: `managed/user`. */
export function collectionOf({ type }: Pick<Exchange, 'type'>): string {
  return `managed/${type.name}`;
}

/** The object as scripts and clients see it. */
export function withIdentity(id: string, rev: number | null, data: JsonObject): JsonObject {
  return { _id: id, ...(rev === null ? {} : { _rev: String(rev) }), ...data };
}

export function withoutIdentity({ _id, _rev, ...data }: JsonObject): JsonObject {
  return data;
}

export function objectExists(exchange: Exchange): PreconditionFailedError {
  return new PreconditionFailedError(`Object '${objectPath(exchange)}' exists already`, {
    id: 'OBJECT_EXISTS',
  });
}

/** The server's own marks on an object, such as those of the task scanner, may go without. */
export function synchronizes({ context, request }: Exchange): boolean {
  return request.parameters['_synchronize'] !== 'false' || context.client.isExternal;
}
