import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
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

export async function findObject(
  db: Db,
  { table, type }: ObjectStore,
  id: string,
  lock = false,
): Promise<StoredObject | undefined> {
  const query = db
    .selectFrom(table)
    .select(['id', 'rev', 'data'])
    .where('type', '=', type)
    .where('id', '=', id);
  return (lock ? query.forUpdate() : query).executeTakeFirst();
}

/** @returns false when the id is taken */
export async function insertObject(
  db: Db,
  { table, type }: ObjectStore,
  id: string,
  data: JsonObject,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto(table)
    .values({ type, id, data: JSON.stringify(data) as unknown as JsonObject })
    .onConflict((conflict) => conflict.columns(['type', 'id']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** @returns the new revision, or undefined when the object is gone or no longer at `rev` */
export async function updateObject(
  db: Db,
  { table, type }: ObjectStore,
  id: string,
  rev: number,
  data: JsonObject,
): Promise<number | undefined> {
  const row = await db
    .updateTable(table)
    .set((expression) => ({
      rev: expression('rev', '+', 1),
      data: JSON.stringify(data) as unknown as JsonObject,
      updated_at: sql<Date>`now()`,
    }))
    .where('type', '=', type)
    .where('id', '=', id)
    .where('rev', '=', rev)
    .returning('rev')
    .executeTakeFirst();
  return row?.rev;
}

/** @returns whether the object was there at `rev` */
export async function deleteObject(
  db: Db,
  { table, type }: ObjectStore,
  id: string,
  rev: number,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom(table)
    .where('type', '=', type)
    .where('id', '=', id)
    .where('rev', '=', rev)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}
