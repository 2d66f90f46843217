import { sql } from 'kysely';
import { type Db, type HeldStatement, LOCK, lockNamed, oneRow } from '#database/index.ts';
import type { JsonValue } from '#json/index.ts';
import { filterSql, objectTable } from '#repo/index.ts';
import type { QueryFilter } from '#resource/index.ts';
import type { Governed } from '../managed-types.ts';
import { ownerIsFirst } from '../relationship/edge-repository.ts';
import { CONDITIONAL } from './conditional-grant.ts';

/**
 * Whoever changes a condition holds the lock of its type alone; whoever evaluates an object holds it in common, so that no
 * object is missed between the two.
 */
export async function lockConditions(db: Db, type: string): Promise<void> {
  await lockNamed(db, LOCK.conditionsOf(type));
}

/** The conditions of all objects of a type that have one, locked in common. */
export async function listConditions(
  db: Db,
  type: string,
  field: string,
): Promise<readonly { readonly id: string; readonly condition: JsonValue }[]> {
  const { rows } = await sql<{ id: string; condition: JsonValue }>`
    select id, condition from managed_conditions(${type}, ${field})`.execute(db);
  return rows;
}

/** Where the conditional edges of a target stand, and who may have them. */
export interface ConditionalTarget {
  readonly governed: Governed;
  /** Such as `managed/role`. */
  readonly collection: string;
  readonly id: string;
}

/** Keeps objects from being written by others until the end of the transaction. */
export function lockingOwners(type: string, ids: readonly string[]): HeldStatement {
  const statement = sql`select from managed_object where type = ${type} and id = any(${ids}::text[])
    order by id for no key update`;
  return { statement };
}

/**
 * Takes away the conditional edges of those who do not match, all at once.
 *
 * @param among only these objects, of which those with a manual edge to the target lose theirs as well
 * @returns the ids of those who lose one
 */
export async function revokeFrom(
  db: Db,
  { governed, collection, id }: ConditionalTarget,
  filter: QueryFilter | null,
  among?: readonly string[],
): Promise<readonly string[]> {
  const { owner, relationship } = governed;
  const matches =
    filter === null
      ? sql`false`
      : sql`coalesce(${filterSql(filter, objectTable({ alias: 'o', propertyTypes: owner.propertyTypes }))}, false)`;
  const isManual = sql`exists (
    select from relationship_end m
    where m.target_collection = e.target_collection and m.target_id = e.target_id
      and m.owner_collection = e.owner_collection and m.owner_id = e.owner_id
      and m.owner_property = e.owner_property and m.properties->>'_grantType' is distinct from 'conditional')`;
  const chosen = among === undefined ? sql`true` : sql`e.owner_id = any(${among}::text[])`;
  const loses = among === undefined ? sql`not ${matches}` : sql`(not ${matches} or ${isManual})`;
  const { rows } = await sql<{ id: string }>`
    delete from relationship r using (
      select e.id, e.owner_id from relationship_end e
      left join managed_object o on o.type = ${owner.name} and o.id = e.owner_id
      where e.target_collection = ${collection} and e.target_id = ${id}
        and e.owner_collection = ${`managed/${owner.name}`} and e.owner_property = ${relationship.property}
        and e.properties->>'_grantType' = 'conditional' and ${chosen} and ${loses}) lost
    where r.id = lost.id
    returning lost.owner_id as id`.execute(db);
  return rows.map((row) => row.id);
}

/** How many objects meet a condition, for whoever wants to know how long it takes to find out. */
export async function countMeeting(db: Db, { owner }: Governed, filter: QueryFilter): Promise<number> {
  const matches = filterSql(filter, objectTable({ alias: 'o', propertyTypes: owner.propertyTypes }));
  const { rows } = await sql<{ many: number }>`
    select count(*) as many from managed_object o where o.type = ${sql.lit(owner.name)} and ${matches}`.execute(
    db,
  );
  return oneRow(rows).many;
}

/** UUIDs of version 7 in the order of the rows, like those that are made one by one: they fill an index from its end. */
const orderedId = sql`substr(ms, 1, 8) || '-' || substr(ms, 9, 4) || '-7' || lpad(to_hex(n >> 12), 3, '0')
  || '-8' || lpad(to_hex(n & 4095), 3, '0') || '-' || right(gen_random_uuid()::text, 12)`;

/**
 * Gives conditional edges to all who match and have no edge to the target, all at once.
 *
 * @param among only these objects
 * @returns the ids of those who get one
 */
export async function grantTo(
  db: Db,
  { governed, collection, id }: ConditionalTarget,
  filter: QueryFilter,
  isSingle: { readonly owner: boolean; readonly target: boolean },
  among?: readonly string[],
): Promise<readonly string[]> {
  const chosen = among === undefined ? sql`true` : sql`o.id = any(${among}::text[])`;
  const { owner, relationship } = governed;
  const ownerCollection = `managed/${owner.name}`;
  const ownerEnd = {
    collection: sql`${ownerCollection}::text`,
    id: sql`o.id`,
    property: relationship.property,
    isSingle: isSingle.owner,
  };
  const targetEnd = {
    collection: sql`${collection}::text`,
    id: sql`${id}::text`,
    property: relationship.reverseProperty,
    isSingle: isSingle.target,
  };
  const isFirst = ownerIsFirst(
    { collection: ownerCollection, id: '', property: relationship.property },
    { collection, id: '', property: relationship.reverseProperty },
  );
  const [first, second] = isFirst ? [ownerEnd, targetEnd] : [targetEnd, ownerEnd];
  // Only where an end has a single place can there be a conflict; to look for one costs a fifth of the time.
  const onConflict = isSingle.owner || isSingle.target ? sql`on conflict do nothing` : sql``;
  // EXCEPT reads each side once. An anti-join is planned by statistics, which know nothing yet of edges that came in the
  // last minute, and then looks through all edges of the target for each owner.
  const { rows } = await sql<{ id: string }>`
    insert into relationship (id, first_collection, first_id, first_property, first_single,
      second_collection, second_id, second_property, second_single, properties)
    select ${orderedId}, ${first.collection}, ${first.id}, ${first.property}::text,
      ${first.isSingle}::boolean, ${second.collection}, ${second.id}, ${second.property}::text,
      ${second.isSingle}::boolean, ${JSON.stringify(CONDITIONAL)}::jsonb
    from (
    select ungranted.id, row_number() over (order by ungranted.id) as n,
      lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') as ms
    from (
      select o.id from managed_object o
      where o.type = ${sql.lit(owner.name)} and ${chosen}
        and ${filterSql(filter, objectTable({ alias: 'o', propertyTypes: owner.propertyTypes }))}
      except
      select e.owner_id from relationship_end e
      where e.target_collection = ${collection} and e.target_id = ${id}
        and e.owner_collection = ${ownerCollection} and e.owner_property = ${relationship.property}
        and ${among === undefined ? sql`true` : sql`e.owner_id = any(${among}::text[])`}
      ) ungranted
    ) o
    order by n
    ${onConflict}
    returning ${sql.ref(isFirst ? 'first_id' : 'second_id')} as id`.execute(db);
  return rows.map((row) => row.id);
}
