import { sql } from 'kysely';
import type { Db, UnitOfWork } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { objectReader } from './object-reader.ts';
import type { ObjectStore, StoredObject } from './object-store.ts';
import { insertsInto } from './object-writer.ts';

const readers = new WeakMap<Db, Map<ObjectStore['table'], ReturnType<typeof objectReader>>>();

/** One per connection pool and table. */
function readerOf(db: Db, table: ObjectStore['table']) {
  const ofPool = readers.get(db) ?? new Map<ObjectStore['table'], ReturnType<typeof objectReader>>();
  readers.set(db, ofPool);
  const reader = ofPool.get(table) ?? objectReader(db, table);
  ofPool.set(table, reader);
  return reader;
}

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
 * Stores a new object as part of a unit of work. When that is all it writes, it is committed together with others.
 *
 * @returns false when the id is taken
 */
export function createObject(
  unitOfWork: UnitOfWork,
  store: ObjectStore,
  id: string,
  data: JsonObject,
): Promise<boolean> {
  return unitOfWork.write(insertsInto(store), { type: store.type, id, data });
}

/** @returns false when the id is taken */
export async function insertObject(
  db: Db,
  store: ObjectStore,
  id: string,
  data: JsonObject,
): Promise<boolean> {
  const [stored] = await insertsInto(store).run(db, [{ type: store.type, id, data }]);
  return stored === true;
}

/** @returns the new revision, or undefined when the object is gone or no longer at `rev` */
export async function updateObject(
  db: Db,
  { table, type }: ObjectStore,
  id: string,
  rev: number,
  data: JsonObject,
): Promise<number | undefined> {
  // As a template and not by the builder: it is the statement of every change, and costs a quarter to compile.
  const { rows } = await sql<{ rev: number }>`
    update ${sql.table(table)} set rev = rev + 1, data = ${JSON.stringify(data)}::jsonb, updated_at = now()
    where type = ${type} and id = ${id} and rev = ${rev}
    returning rev`.execute(db);
  return rows[0]?.rev;
}

/**
 * @param rev null for any
 * @returns whether the object was there at `rev`
 */
export async function deleteObject(
  db: Db,
  { table, type }: ObjectStore,
  id: string,
  rev: number | null,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom(table)
    .where('type', '=', type)
    .where('id', '=', id)
    .$if(rev !== null, (query) => query.where('rev', '=', rev!))
    .executeTakeFirst();
  return numDeletedRows === 1n;
}
