import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';

export interface OutsideKey {
  readonly mapping: string;
  readonly qualifier: string;
  readonly sourceId: string;
}

/** What another system is being asked, and nobody knows yet whether it was done. */
export type Intent = 'create' | 'delete';

export interface OutsideRow {
  readonly intent: Intent | null;
  /** By name of a property that cannot be read back: a hash of what was written last. */
  readonly secrets: JsonObject;
}

export async function findOutside(db: Db, key: OutsideKey): Promise<OutsideRow | undefined> {
  const { rows } = await sql<OutsideRow>`
    select intent, secrets from sync_outside
    where mapping = ${key.mapping} and qualifier = ${key.qualifier} and source_id = ${key.sourceId}`.execute(
    db,
  );
  return rows[0];
}

/** @param intent null: what was asked has been answered */
export async function noteIntent(db: Db, key: OutsideKey, intent: Intent | null): Promise<void> {
  await sql`
    insert into sync_outside (mapping, qualifier, source_id, intent)
    values (${key.mapping}, ${key.qualifier}, ${key.sourceId}, ${intent})
    on conflict (mapping, qualifier, source_id) do update
    set intent = excluded.intent, since = clock_timestamp()`.execute(db);
}

/** The other system has done what it was asked. */
export async function noteDone(db: Db, key: OutsideKey, secrets: JsonObject): Promise<void> {
  await sql`
    insert into sync_outside as o (mapping, qualifier, source_id, secrets)
    values (${key.mapping}, ${key.qualifier}, ${key.sourceId}, ${JSON.stringify(secrets)}::jsonb)
    on conflict (mapping, qualifier, source_id) do update
    set intent = null, secrets = o.secrets || excluded.secrets, since = clock_timestamp()`.execute(db);
}

export async function forgetOutside(db: Db, key: OutsideKey): Promise<void> {
  await sql`
    delete from sync_outside
    where mapping = ${key.mapping} and qualifier = ${key.qualifier} and source_id = ${key.sourceId}`.execute(
    db,
  );
}
