import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { objectReader } from './object-reader.ts';
import type { ObjectStore, StoredObject } from './object-store.ts';
import { objectWriter } from './object-writer.ts';

/** One of each per connection pool and table. */
function perPool<T>(make: (db: Db, table: ObjectStore['table']) => T) {
  const made = new WeakMap<Db, Map<ObjectStore['table'], T>>();
  return (db: Db, table: ObjectStore['table']): T => {
    const ofPool = made.get(db) ?? new Map<ObjectStore['table'], T>();
    made.set(db, ofPool);
    const one = ofPool.get(table) ?? make(db, table);
    ofPool.set(table, one);
    return one;
  };
}

const readerOf = perPool(objectReader);
const writerOf = perPool(objectWriter);

/** @param lock keeps the row locked until the end of the transaction */
export async function findObject(
  db: Db,
  { table, type }: ObjectStore,
  id: string,
  lock = false,
): Promise<StoredObject | undefined> {
  if (!db.isTransaction) return readerOf(db, table).add({ type, id });
  const query = db
    .selectFrom(table)
    .select(['id', 'rev', 'data'])
    .where('type', '=', type)
    .where('id', '=', id);
  return (lock ? query.forUpdate() : query).executeTakeFirst();
}

/**
 * Outside a transaction it is committed when this resolves, together with others that come at the same time.
 *
 * @returns false when the id is taken
 */
export async function insertObject(
  db: Db,
  { table, type }: ObjectStore,
  id: string,
  data: JsonObject,
): Promise<boolean> {
  if (!db.isTransaction) return writerOf(db, table).add({ type, id, data });
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
