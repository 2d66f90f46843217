import { sql } from 'kysely';
import { type Db, type HeldStatement, LOCK, lockNamed } from '#database/index.ts';
import { firstOf } from '#json/index.ts';
import { objectStore, type StoredObject } from '#repo/index.ts';
import type { Target } from './edge.ts';

/** Where objects of a collection stand; undefined for collections that no table of ours holds. */
export function storeOf(collection: string) {
  const [root, ...rest] = collection.split('/');
  if (root === 'managed' && rest.length === 1) return objectStore(['managed', firstOf(rest)]);
  // As newer servers of the field call what lies below `repo/internal`.
  if (root === 'internal' && rest.length === 1) return objectStore([root, firstOf(rest)]);
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
    .where('id', '=', sql<string>`any(${ids}::text[])`)
    .execute();
}

/**
 * Requires objects to exist. They cannot be deleted until the end of the transaction; they can be changed, so that
 * granting a role does not wait for those who edit it. One statement for each table they stand in.
 *
 * @param missing what to throw of the first that does not exist
 */
export function lockingExisting(
  targets: readonly Target[],
  missing: (target: Target) => Error,
): readonly HeldStatement[] {
  const stored = targets.map((target) => ({ target, store: storeOf(target.collection)! }));
  return [...Map.groupBy(stored, ({ store }) => store.table)].map(([table, group]) => {
    const types = group.map(({ store }) => store.type);
    const ids = group.map(({ target }) => target.id);
    return {
      statement: sql`select type, id from ${sql.table(table)}
        where (type, id) in (select * from unnest(${types}::text[], ${ids}::text[]))
        order by type, id for key share`,
      check(rows: readonly { readonly type: string; readonly id: string }[]) {
        const found = new Set(rows.map(({ type, id }) => JSON.stringify([type, id])));
        const lost = group.find(({ store, target }) => !found.has(JSON.stringify([store.type, target.id])));
        if (lost !== undefined) throw missing(lost.target);
      },
    };
  });
}

/** Queues those who create an object with the same id. */
export async function lockNewId(db: Db, type: string, id: string): Promise<void> {
  await lockNamed(db, LOCK.newObject(type, id));
}

/** An object of the type whose id is this one but for the case of its letters: `IndexKeeper` makes the index of types of roles. */
export async function findNamesake(db: Db, type: string, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`select id from managed_object
    where type = ${sql.lit(type)} and lower(id) = lower(${id}) and id <> ${id} limit 1`.execute(db);
  return rows[0]?.id;
}

/** The object, locked against other writers; against new edges to it as well when it is to be deleted. */
export async function lockObject(
  db: Db,
  type: string,
  id: string,
  strength: 'update' | 'no key update',
): Promise<StoredObject | undefined> {
  const { rows } = await sql<StoredObject>`select id, rev, data, created_at, updated_at from managed_object
    where type = ${type} and id = ${id} for ${sql.raw(strength)}`.execute(db);
  return rows[0];
}
