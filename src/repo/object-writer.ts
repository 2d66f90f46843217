import { sql } from 'kysely';
import type { Db, GroupWrite } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { firstOf } from '#json/index.ts';
import type { Times } from '#resource/index.ts';
import { keyOf, type ObjectKey } from './object-reader.ts';
import type { ObjectStore } from './object-store.ts';

interface NewObject extends ObjectKey {
  readonly data: JsonObject;
  /** When it is made, as `toISOString` writes; absent: when it is stored. */
  readonly at?: string;
}

/** Stores new objects; one whose id is taken is not stored. */
function objectInserts(table: ObjectStore['table']): GroupWrite<NewObject> {
  // In one order everywhere, so that two statements about the same ids do not wait for each other in turn.
  const insert = (objects: readonly NewObject[]) => sql`
    insert into ${sql.table(table)} (type, id, data, created_at, updated_at)
    select type, id, data, coalesce(at, now()), coalesce(at, now()) from jsonb_to_recordset(${JSON.stringify(objects)}::jsonb)
      as object (type text, id text, data jsonb, at timestamptz) order by type, id`;
  return {
    mayWait: true,
    steps: (objects) => [{ statement: insert(objects) }],
    async run(db, objects) {
      const { rows } =
        await sql<ObjectKey>`${insert(objects)} on conflict do nothing returning type, id`.execute(db);
      const inserted = new Set(rows.map(keyOf));
      // When two objects of one batch have the same id, the first is stored.
      return objects.map((object) => inserted.delete(keyOf(object)));
    },
  };
}

/** What an object becomes. */
export interface ChangedObject extends ObjectKey {
  /** The revision that was read. */
  readonly rev: number;
  /** JSON: what was handed over, whatever becomes of that until the commit. */
  readonly data: string;
  /** The times as they are then; absent: it is changed when it is stored. */
  readonly times?: Times;
}

/**
 * Changes objects that are still at the revision at which they were read. Of several, none is waited for: who holds the
 * lock of one must not hold up the others.
 */
function objectChanges(table: ObjectStore['table']): GroupWrite<ChangedObject> {
  const update = (objects: readonly ChangedObject[]) => sql`
    update ${sql.table(table)} stored set rev = stored.rev + object.steps, data = object.data,
      updated_at = coalesce(object.at, now())
    from (
      select o.ctid as place, object.data, object.steps, object.at
      from jsonb_to_recordset(${`[${folded(objects).map(rowText).join()}]`}::jsonb)
        as object (type text, id text, rev int, steps int, at timestamptz, data jsonb)
      join ${sql.table(table)} o on o.type = object.type collate "C" and o.id = object.id collate "C" and o.rev = object.rev
      order by o.type, o.id for no key update of o skip locked) object
    where stored.ctid = object.place`;
  return {
    isGuarded: true,
    mayWait: true,
    keyOf,
    steps: (objects) => [{ statement: sql`${update(objects)} returning 1`, returns: folded(objects).length }],
    async run(db, objects) {
      if (objects.length === 1) return [await updateOne(db, table, firstOf(objects))];
      const { rows } = await sql<ObjectKey>`${update(objects)} returning stored.type, stored.id`.execute(db);
      const changed = new Set(rows.map(keyOf));
      return objects.map((object) => changed.has(keyOf(object)));
    },
  };
}

/** Written as a template and not by the builder: it is the statement of every change, and so costs a quarter to compile. */
async function updateOne(
  db: Db,
  table: ObjectStore['table'],
  { type, id, rev, data, times }: ChangedObject,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set rev = rev + 1, data = ${data}::jsonb, updated_at = coalesce(${times?.updated ?? null}::timestamptz, now())
    where type = ${type} and id = ${id} and rev = ${rev}`.execute(db);
  return numAffectedRows === 1n;
}

function rowText({ data, times, ...columns }: ChangedObject): string {
  return `${JSON.stringify({ ...columns, at: times?.updated }).slice(0, -1)},"data":${data}}`;
}

/**
 * A unit of work that changes an object again changes what it has made of it. Of two that are stored together and change
 * what neither knows of the other, the second stays a change of its own: there is one row less than is asked for then.
 */
function folded(objects: readonly ChangedObject[]): readonly (ChangedObject & { readonly steps: number })[] {
  const byKey = new Map<string, ChangedObject & { readonly steps: number }>();
  const inTheWay: (ChangedObject & { readonly steps: number })[] = [];
  for (const object of objects) {
    const before = byKey.get(keyOf(object));
    if (before === undefined) byKey.set(keyOf(object), { ...object, steps: 1 });
    else if (object.rev === before.rev + before.steps) {
      byKey.set(keyOf(object), { ...object, rev: before.rev, steps: before.steps + 1 });
    } else inTheWay.push({ ...object, steps: 1 });
  }
  return [...byKey.values(), ...inTheWay];
}

const CHANGES = {
  managed_object: objectChanges('managed_object'),
  repo_object: objectChanges('repo_object'),
};

/** How changes of a store are written; for `UnitOfWork.write`. */
export function changesIn({ table }: ObjectStore): GroupWrite<ChangedObject> {
  return CHANGES[table];
}

const INSERTS = {
  managed_object: objectInserts('managed_object'),
  repo_object: objectInserts('repo_object'),
};

/** How new objects of a store are written; for `UnitOfWork.write`. */
export function insertsInto({ table }: ObjectStore): GroupWrite<NewObject> {
  return INSERTS[table];
}
