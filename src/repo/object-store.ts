import type { JsonObject } from '#json/index.ts';
import type { Times } from '#resource/index.ts';

/** Where objects of one collection stand: the table, and the value of its `type` column. */
export interface ObjectStore {
  readonly table: 'managed_object' | 'repo_object';
  readonly type: string;
}

export interface StoredObject {
  readonly id: string;
  readonly rev: number;
  readonly data: JsonObject;
  /** Where it was read with them. */
  readonly created_at?: Date;
  readonly updated_at?: Date;
  /** What a client calls it, where that was read with it; null where it has no name for it. */
  readonly external_id?: string | null;
}

/** @returns null where it was read without them */
export function timesOf({ created_at: created, updated_at: updated }: StoredObject): Times | null {
  if (created === undefined || updated === undefined) return null;
  return { created: created.toISOString(), updated: updated.toISOString() };
}

/** The store behind a repository path: `managed/<type>` has a table of its own, all else shares one. */
export function objectStore(path: readonly string[]): ObjectStore {
  return path[0] === 'managed' && path.length === 2
    ? { table: 'managed_object', type: path[1]! }
    : { table: 'repo_object', type: path.join('/') };
}

/** The same by the path at which requests find the collection, such as `managed/user` or `repo/internal/user`. */
export function storeAt(path: readonly string[]): ObjectStore {
  return objectStore(path[0] === 'repo' ? path.slice(1) : path);
}
