import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { Place } from './livesync-platform.ts';

/** An object of a listing, and a hash of what it is, in hexadecimal. */
export interface Listed {
  readonly id: string;
  readonly print: string;
}

export async function clearStaged(db: Db, { system, type }: Place): Promise<void> {
  await sql`delete from sync_listing_next where system = ${system} and object_type = ${type}`.execute(db);
}

export async function stageListed(db: Db, { system, type }: Place, listed: readonly Listed[]): Promise<void> {
  await sql`
    insert into sync_listing_next (system, object_type, id, print)
    select ${system}, ${type}, id, decode(print, 'hex')
    from jsonb_to_recordset(${JSON.stringify(listed)}::jsonb) as listed (id text, print text)`.execute(db);
}

/** Compares what is staged: how many objects there were, how many of them are gone, and how many are new or have changed. */
export async function countDifferences(
  db: Db,
  { system, type }: Place,
): Promise<{ readonly before: number; readonly gone: number; readonly changed: number }> {
  const { rows } = await sql<{ before: number; gone: number; changed: number }>`
    select count(l.id)::float8 as before, count(*) filter (where n.id is null)::float8 as gone,
      count(*) filter (where n.id is not null and l.print is distinct from n.print)::float8 as changed
    from (select id, print from sync_listing where system = ${system} and object_type = ${type}) l
    full join (select id, print from sync_listing_next where system = ${system} and object_type = ${type}) n on n.id = l.id`.execute(
    db,
  );
  return rows[0] ?? { before: 0, gone: 0, changed: 0 };
}

/** Finds out which of some objects are new, or other than they were, and still as they are staged. */
export async function listChanged(
  db: Db,
  { system, type }: Place,
  listed: readonly Listed[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select n.id from jsonb_to_recordset(${JSON.stringify(listed)}::jsonb) as listed (id text, print text)
    join sync_listing_next n on n.system = ${system} and n.object_type = ${type} and n.id = listed.id
    left join sync_listing l on l.system = ${system} and l.object_type = ${type} and l.id = listed.id
    where n.print = decode(listed.print, 'hex') and l.print is distinct from n.print`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** @returns so many of those that are not there any more */
export async function listGone(db: Db, { system, type }: Place, most: number): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select l.id from sync_listing l
    where l.system = ${system} and l.object_type = ${type} and not exists (
      select from sync_listing_next n where n.system = ${system} and n.object_type = ${type} and n.id = l.id)
    order by l.id limit ${most}`.execute(db);
  return rows.map(({ id }) => id);
}

/** What was followed is what it is compared with from now on. */
export async function acceptChanged(db: Db, { system, type }: Place, ids: readonly string[]): Promise<void> {
  await sql`
    insert into sync_listing (system, object_type, id, print)
    select system, object_type, id, print from sync_listing_next
    where system = ${system} and object_type = ${type} and id = any(${sql.val(ids)}::text[])
    order by id
    on conflict (system, object_type, id) do update set print = excluded.print`.execute(db);
}

export async function acceptGone(db: Db, { system, type }: Place, ids: readonly string[]): Promise<void> {
  await sql`
    delete from sync_listing
    where system = ${system} and object_type = ${type} and id = any(${sql.val(ids)}::text[])`.execute(db);
}

/** All that is staged is what there is, whatever there was. */
export async function acceptAll(db: Db, { system, type }: Place): Promise<void> {
  await sql`delete from sync_listing where system = ${system} and object_type = ${type}`.execute(db);
  await sql`
    insert into sync_listing (system, object_type, id, print)
    select system, object_type, id, print from sync_listing_next
    where system = ${system} and object_type = ${type}`.execute(db);
}
