import { sql } from 'kysely';
import type { Db } from '#database/index.ts';

/** What is known of an object beside what it says. */
export interface ObjectFacts {
  readonly id: string;
  readonly created: string;
  readonly lastModified: string;
  /** As this client knows it; null where it has not said. */
  readonly externalId: string | null;
}

/** @param type of the objects, without `managed/` */
export async function findFacts(
  db: Db,
  client: string,
  type: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ObjectFacts>> {
  const { rows } = await sql<{ id: string; created_at: Date; updated_at: Date; external_id: string | null }>`
    select o.id, o.created_at, o.updated_at, e.external_id
    from managed_object o
    left join scim_external_id e on e.client = ${client} and e.type = o.type and e.id = o.id
    where o.type = ${type} and o.id = any(${[...ids]}::text[])`.execute(db);
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        created: row.created_at.toISOString(),
        lastModified: row.updated_at.toISOString(),
        externalId: row.external_id,
      },
    ]),
  );
}

/** The objects that a client knows by an `externalId`. */
export async function findByExternalId(
  db: Db,
  client: string,
  type: string,
  externalId: string,
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from scim_external_id
    where client = ${client} and type = ${type} and external_id = ${externalId}`.execute(db);
  return rows.map(({ id }) => id);
}

/** @param externalId null: none. @returns false where the client knows another object by it */
export async function setExternalId(
  db: Db,
  { client, type, id }: { readonly client: string; readonly type: string; readonly id: string },
  externalId: string | null,
): Promise<boolean> {
  if (externalId === null) {
    await sql`delete from scim_external_id where client = ${client} and type = ${type} and id = ${id}`.execute(
      db,
    );
    return true;
  }
  const { rows } = await sql`
    insert into scim_external_id (client, type, id, external_id)
    select ${client}, ${type}, ${id}, ${externalId}
    where not exists (
      select from scim_external_id
      where client = ${client} and type = ${type} and external_id = ${externalId} and id <> ${id}
    )
    on conflict (client, type, id) do update set external_id = excluded.external_id
    returning id`.execute(db);
  return rows.length > 0;
}
