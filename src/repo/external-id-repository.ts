import { sql } from 'kysely';
import type { Db, GroupWrite, UnitOfWork } from '#database/index.ts';

/** A resource, and the client that has a name of its own for it. */
export interface ClientResource {
  readonly client: string;
  /** The type of the object, without `managed/`. */
  readonly type: string;
  readonly id: string;
}

interface Named extends ClientResource {
  readonly external_id: string;
}

/** What the client calls a resource; null where it has no name for it. */
export async function findExternalId(db: Db, { client, type, id }: ClientResource): Promise<string | null> {
  const { rows } = await sql<{ external_id: string }>`
    select external_id from scim_external_id
    where client = ${client} and type = ${type} and id = ${id}`.execute(db);
  return rows[0]?.external_id ?? null;
}

/** The objects that a client knows by an `externalId`. */
export async function findByExternalId(
  db: Db,
  { client, type }: Omit<ClientResource, 'id'>,
  externalId: string,
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from scim_external_id
    where client = ${client} and type = ${type} and external_id = ${externalId}`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Has the client call a resource so, as part of a unit of work.
 *
 * @param externalId null: it has no name for it any more
 * @returns false where the client knows another one by it
 */
export function setExternalId(
  unitOfWork: UnitOfWork,
  resource: ClientResource,
  externalId: string | null,
): Promise<boolean> {
  if (externalId === null) return unitOfWork.write(REMOVAL, resource);
  return unitOfWork.write(NAMING, { ...resource, external_id: externalId });
}

/** Whether a name is pending, so that what is read beside the unit of work may not be the last word. */
export function hasPendingName(unitOfWork: UnitOfWork): boolean {
  return unitOfWork.pending(NAMING).length > 0 || unitOfWork.pending(REMOVAL).length > 0;
}

function keyOf({ client, type, id }: ClientResource): string {
  return JSON.stringify([client, type, id]);
}

const NAMING: GroupWrite<Named> = {
  mayWait: true,
  keyOf: (row) => `externalId ${keyOf(row)}`,
  steps: (rows) => [
    {
      statement: sql`
        insert into scim_external_id (client, type, id, external_id)
        select client, type, id, external_id from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
          as named (client text, type text, id text, external_id text) order by client, type, id
        on conflict (client, type, id) do update set external_id = excluded.external_id`,
    },
  ],
  async run(db, rows) {
    const named: boolean[] = [];
    for (const { client, type, id, external_id: externalId } of rows) {
      const { rows: kept } = await sql`
        insert into scim_external_id (client, type, id, external_id)
        select ${client}, ${type}, ${id}, ${externalId}
        where not exists (
          select from scim_external_id
          where client = ${client} and type = ${type} and external_id = ${externalId} and id <> ${id}
        )
        on conflict (client, type, id) do update set external_id = excluded.external_id
        returning id`.execute(db);
      named.push(kept.length > 0);
    }
    return named;
  },
};

const REMOVAL: GroupWrite<ClientResource> = {
  mayWait: true,
  keyOf: (row) => `externalId ${keyOf(row)}`,
  steps: (rows) => [{ statement: removal(rows) }],
  async run(db, rows) {
    await removal(rows).execute(db);
    return rows.map(() => true);
  },
};

function removal(rows: readonly ClientResource[]) {
  return sql`
    delete from scim_external_id e using jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as gone (client text, type text, id text)
    where e.client = gone.client collate "C" and e.type = gone.type collate "C" and e.id = gone.id collate "C"`;
}
