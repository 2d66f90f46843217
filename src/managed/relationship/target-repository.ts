import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { objectStore, type StoredObject } from '#repo/index.ts';

/** Where objects of a collection stand; undefined for collections that no table of ours holds. */
export function storeOf(collection: string) {
  const [root, ...rest] = collection.split('/');
  if (root === 'managed' && rest.length === 1) return objectStore(['managed', rest[0]!]);
  return root === 'repo' && rest.length > 0 ? objectStore(rest) : undefined;
}

/** The objects with those ids, in no order. */
export async function listObjects(
  db: Db,
  collection: string,
  ids: readonly string[],
): Promise<readonly StoredObject[]> {
  const store = storeOf(collection);
  if (store === undefined || ids.length === 0) return [];
  return db
    .selectFrom(store.table)
    .select(['id', 'rev', 'data'])
    .where('type', '=', store.type)
    .where('id', 'in', ids)
    .execute();
}

/**
 * Which of the ids exist. They cannot be deleted until the end of the transaction; they can be changed, so that
 * granting a role does not wait for those who edit it.
 */
export async function lockExisting(
  db: Db,
  collection: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const store = storeOf(collection);
  if (store === undefined || ids.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`select id from ${sql.table(store.table)}
    where type = ${store.type} and id = any(${ids as string[]}::text[]) order by id for key share`.execute(
    db,
  );
  return new Set(rows.map(({ id }) => id));
}

/** The object, locked against other writers; against new edges to it as well when it is to be deleted. */
export async function lockObject(
  db: Db,
  type: string,
  id: string,
  strength: 'update' | 'no key update',
): Promise<{ id: string; rev: number; data: JsonObject } | undefined> {
  const { rows } = await sql<StoredObject>`select id, rev, data from managed_object
    where type = ${type} and id = ${id} for ${sql.raw(strength)}`.execute(db);
  return rows[0];
}
