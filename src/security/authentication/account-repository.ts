import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonValue } from '#json/index.ts';

/** An account's row, the edges of its roles and the names of internal roles: whatever changes of them changes this. */
export interface AccountRevision {
  readonly id: string;
  readonly revision: string;
}

/**
 * What tells one state of accounts from another, in one statement however many they are. The transaction that wrote a
 * row last is better than its `rev`: it also changes when somebody writes by hand.
 *
 * @param type of managed object
 * @param rolesProperty the relationship that holds the roles; any other property stands in the row
 */
export async function listAccountRevisions(
  db: Db,
  { type, rolesProperty }: { readonly type: string; readonly rolesProperty: string },
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const collection = `managed/${type}`;
  const { rows } = await sql<AccountRevision>`
    with internal as materialized (
      select md5(coalesce(string_agg(id, '/' order by id), '')) as roles from repo_object where type = 'internal/role')
    select o.id, o.xmin::text || ' ' || internal.roles || ' ' || coalesce(edges.revision, '') as revision
    from internal cross join managed_object o
    cross join lateral (
      select string_agg(e.id || ':' || e.version, ' ' order by e.id) as revision
      from (
        select r.id, r.xmin::text as version from relationship r
        where r.first_collection = ${collection} and r.first_id = o.id and r.first_property = ${rolesProperty}
        union
        select r.id, r.xmin::text from relationship r
        where r.second_collection = ${collection} and r.second_id = o.id and r.second_property = ${rolesProperty}
      ) e) edges
    where o.type = ${type} and o.id = any(${[...ids]}::text[])`.execute(db);
  return new Map(rows.map(({ id, revision }) => [id, revision]));
}

/** Objects of the types with one of the ids: what somebody has made, and given a name. */
export async function listManagedNamesakes(
  db: Db,
  types: readonly string[],
  ids: readonly string[],
): Promise<readonly { readonly type: string; readonly id: string }[]> {
  return db
    .selectFrom('managed_object')
    .select(['type', 'id'])
    .where('type', 'in', [...types])
    .where('id', 'in', [...ids])
    .execute();
}

export async function listInternalRoles(db: Db): Promise<readonly string[]> {
  const rows = await db.selectFrom('repo_object').select('id').where('type', '=', 'internal/role').execute();
  return rows.map(({ id }) => id);
}

/** Stores the same password otherwise, unless another one has been stored meanwhile. */
export async function replacePassword(
  db: Db,
  {
    table,
    type,
    id,
  }: { readonly table: 'managed_object' | 'repo_object'; readonly type: string; readonly id: string },
  property: string,
  { stored, renewed }: { readonly stored: JsonValue; readonly renewed: JsonValue },
): Promise<void> {
  await sql`
    update ${sql.table(table)} set data = jsonb_set(data, ${[property]}::text[], ${JSON.stringify(renewed)}::jsonb)
    where type = ${type} and id = ${id} and data->${property} = ${JSON.stringify(stored)}::jsonb`.execute(db);
}
