import { sql } from 'kysely';
import type { Db, HeldStatement, UnitOfWork } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { Times } from '#resource/index.ts';
import { keyOf, objectReader } from './object-reader.ts';
import type { ObjectStore, StoredObject } from './object-store.ts';
import { type ChangedObject, changesIn, insertsInto } from './object-writer.ts';

const readers = new WeakMap<Db, Map<ObjectStore['table'], ReturnType<typeof objectReader>>>();

/** One per connection pool and table. */
function readerOf(db: Db, table: ObjectStore['table']) {
  const ofPool = readers.get(db) ?? new Map<ObjectStore['table'], ReturnType<typeof objectReader>>();
  readers.set(db, ofPool);
  const reader = ofPool.get(table) ?? objectReader(db, table);
  ofPool.set(table, reader);
  return reader;
}

/** How an object is read. */
export interface Reading {
  /** Keeps the row locked until the end of the transaction. */
  readonly lock?: boolean;
  /** A client: what it calls the object comes along where no transaction has begun. */
  readonly knownTo?: string;
  /**
   * The revision at which the unit of work has read the object already: if nothing was asked for since, it need not be read again,
   * because who changes it stores it only if it is still at that.
   */
  readonly readAt?: string | null;
}

export async function findObject(
  db: Db,
  { table, type }: ObjectStore,
  id: string,
  { lock = false, knownTo }: Reading = {},
): Promise<StoredObject | undefined> {
  if (!db.isTransaction)
    return readerOf(db, table).add(knownTo === undefined ? { type, id } : { type, id, knownTo });
  const query = db
    .selectFrom(table)
    .select(['id', 'rev', 'data', 'created_at', 'updated_at'])
    .where('type', '=', type)
    .where('id', '=', id);
  return (lock ? query.forUpdate() : query).executeTakeFirst();
}

/**
 * Stores a new object as part of a unit of work. When that is all it writes, it is committed together with others.
 *
 * @param times by the database's clock; default: when it is stored
 * @returns false when the id is taken
 */
export function createObject(
  unitOfWork: UnitOfWork,
  store: ObjectStore,
  id: string,
  data: JsonObject,
  times?: Times,
): Promise<boolean> {
  const at = times === undefined ? {} : { at: times.created };
  return unitOfWork.write(insertsInto(store), { type: store.type, id, data, ...at });
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

/**
 * Changes an object as part of a unit of work. When nothing else is asked of the database, it is committed together
 * with others.
 *
 * @param times by the database's clock; default: when it is stored
 * @returns the new revision, or undefined when the object is gone or no longer at `rev`
 */
export async function changeObject(
  unitOfWork: UnitOfWork,
  store: ObjectStore,
  id: string,
  rev: number,
  data: JsonObject,
  times?: Times,
): Promise<number | undefined> {
  const { type } = store;
  // One statement cannot store an object and change it.
  if (isNew(unitOfWork, store, id)) await unitOfWork.db();
  const own = ownChange(unitOfWork, store, id);
  if (own !== undefined && own.rev + 1 !== rev) return undefined;
  const isChanged = await unitOfWork.write(changesIn(store), {
    type,
    id,
    rev,
    data: JSON.stringify(data),
    ...(times === undefined ? {} : { times }),
  });
  return isChanged ? rev + 1 : undefined;
}

/**
 * Whether a unit of work may change an object without having locked it: nobody else does, as far as is known, and one
 * that does all the same makes the unit run again.
 */
export function mayBePending(unitOfWork: UnitOfWork, store: ObjectStore, id: string): boolean {
  return unitOfWork.mayBePending(keyOf({ type: store.type, id }));
}

/** What units of work have read last without a lock. */
const lastRead = new WeakMap<UnitOfWork, { readonly key: string; readonly object: StoredObject }>();

/** An object as its unit of work has left it; without a lock, and without leaving what is pending. */
export async function findOwn(
  unitOfWork: UnitOfWork,
  store: ObjectStore,
  id: string,
  reading: Reading = {},
): Promise<StoredObject | undefined> {
  const change = ownChange(unitOfWork, store, id);
  if (change !== undefined) {
    const { times } = change;
    const object = { id, rev: change.rev + 1, data: JSON.parse(change.data) as JsonObject };
    if (times === undefined) return object;
    return { ...object, created_at: new Date(times.created), updated_at: new Date(times.updated) };
  }
  const key = keyOf({ type: store.type, id });
  const before = lastRead.get(unitOfWork);
  if (before?.key === key && unitOfWork.isLight && reading.readAt === String(before.object.rev))
    return before.object;
  const db = isNew(unitOfWork, store, id) ? await unitOfWork.db() : await unitOfWork.readerBesidePending();
  const object = await findObject(db, store, id, reading);
  if (object === undefined || db.isTransaction) lastRead.delete(unitOfWork);
  else lastRead.set(unitOfWork, { key, object });
  return object;
}

/** What the unit of work is going to make of the object. */
function ownChange(unitOfWork: UnitOfWork, store: ObjectStore, id: string): ChangedObject | undefined {
  return unitOfWork
    .pending(changesIn(store))
    .findLast((object) => object.type === store.type && object.id === id);
}

function isNew(unitOfWork: UnitOfWork, store: ObjectStore, id: string): boolean {
  return unitOfWork
    .pending(insertsInto(store))
    .some((object) => object.type === store.type && object.id === id);
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

/** The same of one at any revision, by a statement that nobody waits for. */
export function deletingObject({ table, type }: ObjectStore, id: string, gone: () => Error): HeldStatement {
  return {
    statement: sql`delete from ${sql.table(table)} where type = ${type} and id = ${id} returning id`,
    check(rows) {
      if (rows.length === 0) throw gone();
    },
  };
}

/** Whether objects of the store are pending, which no look at the database shows. */
export function hasPending(unitOfWork: UnitOfWork, store: ObjectStore): boolean {
  const isThere = ({ type }: { readonly type: string }) => type === store.type;
  return (
    unitOfWork.pending(insertsInto(store)).some(isThere) || unitOfWork.pending(changesIn(store)).some(isThere)
  );
}
