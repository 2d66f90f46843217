import { type RawBuilder, sql } from 'kysely';
import type { Db, GroupWrite } from '#database/index.ts';
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
  /** The target that was made, where that was heard and is not stored yet. */
  readonly made_id: string | null;
  /** Hashes of what was written last, by the names of properties that cannot be read back. */
  readonly secrets: JsonObject;
}

export async function findOutside(db: Db, key: OutsideKey): Promise<OutsideRow | undefined> {
  const { rows } = await sql<OutsideRow>`
    select intent, made_id, secrets from sync_outside
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
    set intent = excluded.intent, made_id = null, since = clock_timestamp()`.execute(db);
}

/** The other system has answered who it has made. */
export async function noteMade(db: Db, key: OutsideKey, id: string): Promise<void> {
  await sql`
    update sync_outside set made_id = ${id}
    where mapping = ${key.mapping} and qualifier = ${key.qualifier} and source_id = ${key.sourceId}`.execute(
    db,
  );
}

/** Targets that were made for a source by units of work of which nothing was stored. */
export async function listMade(
  db: Db,
  mapping: string,
  sourceId: string,
): Promise<readonly { readonly qualifier: string; readonly made_id: string }[]> {
  const { rows } = await sql<{ qualifier: string; made_id: string }>`
    select qualifier, made_id from sync_outside
    where mapping = ${mapping} and source_id = ${sourceId} and intent = 'create' and made_id is not null
    order by qualifier`.execute(db);
  return rows;
}

/** What was written there last is not known any more: it is written again. */
export async function forgetSecrets(db: Db, mapping: string, sourceId: string): Promise<void> {
  await sql`
    update sync_outside set secrets = '{}' where mapping = ${mapping} and source_id = ${sourceId}`.execute(
    db,
  );
}

/** Notes that the other system has done what it was asked. @param secrets null: there is no target any more */
export interface Settled extends OutsideKey {
  readonly secrets: JsonObject | null;
}

/**
 * How that is written down: with the commit. Until then nothing of the unit of work stands in the way of what it writes down aside, about
 * the same target.
 */
export const settlements: GroupWrite<Settled> = {
  steps: (rows) => settling(rows).map((statement) => ({ statement })),
  async run(db, rows) {
    for (const statement of settling(rows)) await statement.execute(db);
    return rows.map(() => true);
  },
};

function settling(rows: readonly Settled[]): readonly RawBuilder<unknown>[] {
  const latest = new Map<string, Settled>();
  for (const row of rows) {
    const key = JSON.stringify([row.mapping, row.qualifier, row.sourceId]);
    const { secrets } = row;
    latest.set(key, { ...row, secrets: secrets && { ...latest.get(key)?.secrets, ...secrets } });
  }
  const asked = sql`jsonb_to_recordset(${JSON.stringify([...latest.values()])}::jsonb)
    as asked (mapping text, qualifier text, "sourceId" text, secrets jsonb)`;
  return [
    sql`
      delete from sync_outside o using ${asked}
      where asked.secrets is null and o.mapping = asked.mapping and o.qualifier = asked.qualifier
        and o.source_id = asked."sourceId"`,
    sql`
      insert into sync_outside as o (mapping, qualifier, source_id, secrets)
      select mapping, qualifier, "sourceId", secrets from ${asked} where secrets is not null
      order by mapping collate "C", qualifier collate "C", "sourceId" collate "C"
      on conflict (mapping, qualifier, source_id) do update
      set intent = null, made_id = null, secrets = o.secrets || excluded.secrets, since = clock_timestamp()`,
  ];
}
