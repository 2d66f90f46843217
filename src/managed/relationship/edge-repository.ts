import { type RawBuilder, sql } from 'kysely';
import { type Db, LOCK, lockNamed } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { Edge, Target } from './edge.ts';

/** One end of an edge; `property` is null where the object does not know of it. */
export interface EdgeEnd extends Target {
  readonly property: string | null;
  /** The property holds at most one edge. */
  readonly isSingle: boolean;
}

export interface NewEdge {
  readonly id: string;
  readonly owner: EdgeEnd & { readonly property: string };
  readonly other: EdgeEnd;
  readonly properties: JsonObject;
}

/** The edges that objects of one collection have in some properties, oldest first. */
export async function listEdges(
  db: Db,
  collection: string,
  ids: readonly string[],
  properties: readonly string[],
): Promise<Edge[]> {
  if (ids.length === 0 || properties.length === 0) return [];
  const rows = await db
    .selectFrom('relationship_end')
    .select(['id', 'rev', 'properties', 'owner_id', 'owner_property', 'target_collection', 'target_id'])
    .where('owner_collection', '=', collection)
    .where('owner_id', '=', anyOf(ids))
    .where('owner_property', '=', anyOf(properties))
    .orderBy('id')
    .execute();
  return rows.map(toEdge);
}

/** One text however many there are, so that the statement is prepared once. */
function anyOf(values: readonly string[]) {
  return sql<string>`any(${values}::text[])`;
}

/** Where the edges of a property lead, each target once. */
export async function listTargets(
  db: Db,
  { collection, id, property }: Target & { readonly property: string },
  most: number,
): Promise<readonly Target[]> {
  return db
    .selectFrom('relationship_end')
    .select(['target_collection as collection', 'target_id as id'])
    .distinct()
    .where('owner_collection', '=', collection)
    .where('owner_id', '=', id)
    .where('owner_property', '=', property)
    .limit(most)
    .execute();
}

/** The collections of those. */
export async function listTargetCollections(
  db: Db,
  { collection, id, property }: Target & { readonly property: string },
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('relationship_end')
    .select('target_collection')
    .distinct()
    .where('owner_collection', '=', collection)
    .where('owner_id', '=', id)
    .where('owner_property', '=', property)
    .execute();
  return rows.map(({ target_collection }) => target_collection);
}

/** The edge of that id, or without one the oldest, if it belongs to that property of that object. */
export async function findEdge(
  db: Db,
  owner: Target & { readonly property: string },
  id: string | null,
): Promise<Edge | undefined> {
  const row = await db
    .selectFrom('relationship_end')
    .select(['id', 'rev', 'properties', 'owner_id', 'owner_property', 'target_collection', 'target_id'])
    .where('owner_collection', '=', owner.collection)
    .where('owner_id', '=', owner.id)
    .where('owner_property', '=', owner.property)
    .$if(id !== null, (query) => query.where('id', '=', id!))
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : toEdge(row);
}

/** Keeps others from changing an edge until the end of the transaction, also from its other end. */
export async function lockEdge(db: Db, id: string): Promise<void> {
  await db.selectFrom('relationship').select('id').where('id', '=', id).forUpdate().execute();
}

const COLUMNS = sql`first_collection, first_id, first_property, first_single,
  second_collection, second_id, second_property, second_single, properties`;

/** One text however many there are. */
export function insertingEdges(edges: readonly NewEdge[]): RawBuilder<unknown> {
  return sql`
    insert into relationship (id, ${COLUMNS})
    select id, ${COLUMNS} from jsonb_populate_recordset(null::relationship, ${JSON.stringify(edges.map(edgeRow))}::jsonb)`;
}

/** Returns a row if the edge was there at `rev`. */
export function updatingEdge(rev: number, edge: NewEdge): RawBuilder<unknown> {
  const { id } = edge;
  return sql`
    update relationship set (${COLUMNS}) = (
      select ${COLUMNS} from jsonb_populate_record(null::relationship, ${JSON.stringify(edgeRow(edge))}::jsonb)),
      rev = rev + 1, updated_at = now()
    where id = ${id} and rev = ${rev} returning id`;
}

export function deletingEdges(ids: readonly string[]): RawBuilder<unknown> {
  return sql`delete from relationship where id = any(${ids}::text[])`;
}

/** Deletes all edges that the object knows of. One-way edges that lead to it stay, and lead nowhere. */
export async function deleteEdgesOf(db: Db, { collection, id }: Target): Promise<readonly Edge[]> {
  const { rows } = await sql<EdgeRow>`
    delete from relationship r using relationship_end e
    where r.id = e.id and e.owner_collection = ${collection} and e.owner_id = ${id}
    returning e.id, e.rev, e.properties, e.owner_id, e.owner_property, e.target_collection, e.target_id`.execute(
    db,
  );
  return rows.map(toEdge);
}

/** The edges that lead from a property of an object to some targets. */
export async function listEdgesBetween(
  db: Db,
  owner: Target & { readonly property: string },
  targets: readonly Target[],
): Promise<Edge[]> {
  if (targets.length === 0) return [];
  const collections = targets.map(({ collection }) => collection);
  const ids = targets.map(({ id }) => id);
  const { rows } = await sql<EdgeRow>`
    select e.id, e.rev, e.properties, e.owner_id, e.owner_property, e.target_collection, e.target_id
    from (select distinct collection, id
          from unnest(${collections}::text[], ${ids}::text[]) as named (collection, id)) wanted
    join relationship_end e on e.target_collection = wanted.collection collate "C"
      and e.target_id = wanted.id collate "C"
    where e.owner_collection = ${owner.collection} and e.owner_id = ${owner.id}
      and e.owner_property = ${owner.property}`.execute(db);
  return rows.map(toEdge);
}

/** Queues those who write the same ends until the end of their transactions, where no index can refuse them. */
export async function lockEnds(db: Db, ends: readonly Target[]): Promise<void> {
  const names = ends.map(({ collection, id }) => LOCK.endOfEdges(collection, id)).sort();
  for (const name of new Set(names)) await lockNamed(db, name);
}

interface EdgeRow {
  readonly id: string;
  readonly rev: number;
  readonly properties: JsonObject;
  readonly owner_id: string;
  readonly owner_property: string;
  readonly target_collection: string;
  readonly target_id: string;
}

function toEdge(row: EdgeRow): Edge {
  return {
    id: row.id,
    rev: row.rev,
    ownerId: row.owner_id,
    property: row.owner_property,
    target: { collection: row.target_collection, id: row.target_id },
    properties: row.properties,
  };
}

/** Whether the owner is the first end; it must not matter from which side an edge is written. */
export function ownerIsFirst(owner: Omit<EdgeEnd, 'isSingle'>, other: Omit<EdgeEnd, 'isSingle'>): boolean {
  if (other.property === null) return true;
  const left = [owner.property!, owner.collection, owner.id];
  const right = [other.property, other.collection, other.id];
  for (const [index, part] of left.entries()) {
    if (part !== right[index]) return part < right[index]!;
  }
  return true;
}

/** An edge as its row has it, whichever end is told as its owner. */
export function edgeRow({ id, owner, other, properties }: NewEdge) {
  const [first, second] = ownerIsFirst(owner, other) ? [owner, other] : [other, owner];
  return {
    id,
    first_collection: first.collection,
    first_id: first.id,
    first_property: first.property!,
    first_single: first.isSingle,
    second_collection: second.collection,
    second_id: second.id,
    second_property: second.property,
    second_single: second.isSingle,
    properties,
  };
}
