import type { Database } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { StoredObject } from '#repo/index.ts';
import type {
  Context,
  CreateRequest,
  DeleteRequest,
  PatchRequest,
  ReadRequest,
  UpdateRequest,
} from '#resource/index.ts';
import type { Scripts } from '#script/index.ts';
import type { ManagedType } from './managed-type.ts';

export interface ManagedPlatform {
  readonly database: Database;
  readonly scripts: Scripts;
  /** The types now in force, by name. */
  readonly types: () => ReadonlyMap<string, ManagedType>;
}

/** The requests that run through the lifecycle; a query has a way of its own. */
export type LifecycleRequest = CreateRequest | ReadRequest | UpdateRequest | PatchRequest | DeleteRequest;

/** One request on its way through the lifecycle. Each step reads and fills it. */
export interface Exchange {
  readonly platform: ManagedPlatform;
  readonly context: Context;
  readonly request: LifecycleRequest;
  readonly type: ManagedType;
  /** Empty until a create has been given one. */
  id: string;
  /** What is stored, before this request; null on create. */
  stored: StoredObject | null;
  /** The object in work: what will be stored, or what will be answered. Never holds `_id` or `_rev`. */
  object: JsonObject;
  /** The revision after this request; null until it is known. */
  rev: number | null;
  /** The answer is known; the steps that are left do not run. */
  done: boolean;
}

/** The path of the object, such as `managed/user/u1`. */
export function objectPath({ type, id }: Exchange): string {
  return `managed/${type.name}/${id}`;
}

/** The object as scripts and clients see it. */
export function withIdentity(id: string, rev: number | null, data: JsonObject): JsonObject {
  return { _id: id, ...(rev === null ? {} : { _rev: String(rev) }), ...data };
}

export function withoutIdentity({ _id, _rev, ...data }: JsonObject): JsonObject {
  return data;
}
