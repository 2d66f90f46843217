import type { Asker, Database, Db } from '#database/index.ts';
import type { Context } from './context.ts';

/** What a platform has of it. */
interface HasDatabase {
  readonly database: Database;
}

/** Where statements of a request go: its unit of work, or the pool when it has none. */
export async function dbOf({ database }: HasDatabase, { unitOfWork }: Context): Promise<Db> {
  return unitOfWork === null ? database.db : unitOfWork.db();
}

/** Where a request reads what nothing of its own that is pending is about. */
export async function besideOf({ database }: HasDatabase, { unitOfWork }: Context): Promise<Db> {
  return unitOfWork === null ? database.db : unitOfWork.readerBesidePending();
}

/** Where a request reads what it needs no lock on; a unit of work that has written nothing stays out of it. */
export async function readerOf({ database }: HasDatabase, context: Context): Promise<Db> {
  const { unitOfWork, replica, client } = context;
  if (unitOfWork !== null) return unitOfWork.reader();
  return client.isExternal && replica !== undefined ? replica : database.db;
}

/** As `readerOf`, for what a caller has made up: a filter, what to sort by, what to count. It ends when its time is over. */
export async function questionReaderOf({ database }: HasDatabase, context: Context): Promise<Db> {
  const db = await readerOf({ database }, context);
  const asker = askerOf(context);
  return asker === undefined ? db : database.bounded(db, asker);
}

/**
 * The caller for whom a request, and all that it causes, has the database work; undefined for what begins inside of
 * the server.
 */
export function askerOf({ line, awaited, callersAtWork = 0 }: Context): Asker | undefined {
  return line === undefined ? undefined : { line, left: awaited, isOnTheWay: callersAtWork > 0 };
}
