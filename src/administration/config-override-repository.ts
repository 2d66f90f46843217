import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { oneRow } from '#database/index.ts';

export interface ConfigOverride {
  readonly id: string;
  /** JSON text; null for a configuration that was deleted. */
  readonly content: string | null;
  /** Where `OverrideSeals` has encrypted something in it. */
  readonly sealed: readonly string[] | null;
}

export interface StoredOverride extends ConfigOverride {
  /** The version, another one after each change. */
  readonly version: string;
}

export async function listOverrides(db: Db): Promise<StoredOverride[]> {
  const { rows } = await sql<StoredOverride>`
    select id, content, sealed, version::text as version from config_override order by id`.execute(db);
  return rows;
}

/** Finds out who set overrides, and when. */
export async function listChangers(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, { readonly changedBy: string; readonly changedAt: string }>> {
  const { rows } = await sql<{ id: string; by: string; at: Date }>`
    select id, changed_by as by, changed_at as at from config_override where id = any(${sql.val(ids)})`.execute(
    db,
  );
  return new Map(rows.map(({ id, by, at }) => [id, { changedBy: by, changedAt: at.toISOString() }]));
}

/** Names an override as it is; null when there is none. */
export async function versionOf(db: Db, id: string): Promise<string | null> {
  const { rows } = await sql<{ version: string }>`
    select version::text as version from config_override where id = ${id}`.execute(db);
  return rows[0]?.version ?? null;
}

/** Keeps the override from changing until the end of the transaction. */
export async function findOverride(db: Db, id: string): Promise<ConfigOverride | undefined> {
  const { rows } = await sql<ConfigOverride>`
    select id, content, sealed from config_override where id = ${id} for share`.execute(db);
  return rows[0];
}

export async function putOverride(db: Db, override: ConfigOverride, changedBy: string): Promise<void> {
  await sql`
    insert into config_override (id, content, sealed, changed_by)
    values (${override.id}, ${override.content}, ${override.sealed}::text[], ${changedBy})
    on conflict (id) do update
    set content = excluded.content, sealed = excluded.sealed, changed_by = excluded.changed_by, changed_at = now(), version = default`.execute(
    db,
  );
}

/** Stores what it says in another form, unless somebody has changed it. Its version stays, and nobody needs to read it again. */
export async function replaceOverride(db: Db, before: ConfigOverride, after: ConfigOverride): Promise<void> {
  await sql`
    update config_override set content = ${after.content}, sealed = ${after.sealed}::text[]
    where id = ${before.id} and content = ${before.content} and sealed is null`.execute(db);
}

export async function deleteOverride(db: Db, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from config_override where id = ${id}`.execute(db);
  return numAffectedRows === 1n;
}

/** Changes whenever any override does: cheap enough to be asked every two seconds. */
export async function overridesFingerprint(db: Db): Promise<string> {
  const { rows } = await sql<{ fingerprint: string }>`
    select count(*) || ':' || coalesce(max(version), 0) as fingerprint from config_override`.execute(db);
  return oneRow(rows).fingerprint;
}

/** Holds all other changes of the configuration until the end of the transaction. */
export async function lockOverrides(db: Db): Promise<void> {
  await sql`lock table config_override in share row exclusive mode`.execute(db);
}
