import type { JsonObject } from '#json/index.ts';

/** Where objects of one collection stand: the table, and the value of its `type` column. */
export interface ObjectStore {
  readonly table: 'managed_object' | 'repo_object';
  readonly type: string;
}

export interface StoredObject {
  readonly id: string;
  readonly rev: number;
  readonly data: JsonObject;
}

/** The store behind a repository path: `managed/<type>` has a table of its own, all else shares one. */
export function objectStore(path: readonly string[]): ObjectStore {
  return path[0] === 'managed' && path.length === 2
    ? { table: 'managed_object', type: path[1]! }
    : { table: 'repo_object', type: path.join('/') };
}
