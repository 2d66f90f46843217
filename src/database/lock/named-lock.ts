import { type RawBuilder, sql } from 'kysely';
import { oneRow } from '../one-row.ts';
import type { Db } from '../pool/database.ts';

/**
 * The advisory locks that have a name: what each of them protects, and who holds it. All are held until the end of their
 * transaction. Those of nodes are numbers in a class of their own (`lock-session.ts`).
 *
 * Functions of the database take some of them, too, by the same names: `managed_conditions` and its guards (in common),
 * `has_room`. Only there are `scheduler start gate`, and `<table> partitions` of who makes or drops months.
 */
export const LOCK = {
  /** Keeps anybody from changing a condition of a type while an object is evaluated: alone, and in common. */
  conditionsOf: (type: string) => `conditions of managed/${type}`,
  /** Keeps anybody from changing what many objects of a type derive while one of them is written: alone, and in common. */
  derivationsOf: (type: string) => `derivations of managed/${type}`,
  /** Keeps a value of a property unique in a collection. */
  uniqueValue: (collection: string, property: string, value: string) =>
    `unique ${JSON.stringify([collection, property, value])}`,
  /** Lets one of several create an object with an id that all of them want. */
  newObject: (type: string, id: string) => `new managed/${type}/${id}`,
  /** Has edges of the same end written one after the other, where no index can refuse them. */
  endOfEdges: (collection: string, id: string) => `relationship ${collection}/${id}`,
  /** Sees to it that nobody has more processes under way than may be. */
  startsOf: (starter: string) => `starts of ${starter}`,
  /** Sees to it that nobody keeps more preferences, views and drafts than may be. */
  itemsOf: (owner: string) => `items of ${owner}`,
  /** Sees to it that no more views are shared with a role than may be. */
  viewsOf: (role: string) => `views of ${role}`,
  /** Sees to it that nobody has more operations open than may be. */
  operationsOf: (owner: string) => `operations of ${owner}`,
  /** Sees to it that there are no more API keys than may be. */
  apiKeys: 'api keys',
  /** Has deliveries of a source object by a mapping done one after the other. */
  deliveryOf: (mapping: string, id: string) => `delivery ${JSON.stringify([mapping, id])}`,
  /** Has nodes write down one after the other what has changed. */
  events: 'events',
  /** Lets one deployment be made at a time. */
  deployment: 'svc workflow deployment',
  /** Lets one node at a time seal the audit. */
  sealing: 'audit_seal',
} as const;

/** Locks that are hashed as they have been since their first version: nodes of two versions must mean the same lock. */
const HASHED_SHORT: ReadonlySet<string> = new Set([LOCK.deployment, LOCK.sealing]);

/** Waits for a lock. Several are taken in the order of their names, so that nobody waits for each other. */
export async function lockNamed(db: Db, name: string, how: 'alone' | 'in common' = 'alone'): Promise<void> {
  await lockingNamed(name, how).execute(db);
}

export function lockingNamed(name: string, how: 'alone' | 'in common' = 'alone'): RawBuilder<unknown> {
  const take = sql.raw(how === 'alone' ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared');
  return sql`select ${take}(${keyOf(name)})`;
}

/** @returns false when somebody else holds it */
export async function tryLockNamed(db: Db, name: string): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`
    select pg_try_advisory_xact_lock(${keyOf(name)}) as held`.execute(db);
  return oneRow(rows).held;
}

/** Whether each of the locks is ours now, a row with `held` for each. */
export function tryingAll(names: readonly string[]): RawBuilder<{ readonly held: boolean }> {
  return sql`select pg_try_advisory_xact_lock(hashtextextended(name, 0)) as held from unnest(${names}::text[]) as name`;
}

function keyOf(name: string): RawBuilder<unknown> {
  return HASHED_SHORT.has(name) ? sql`hashtext(${name})` : sql`hashtextextended(${name}, 0)`;
}
