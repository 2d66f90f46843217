import { type RawBuilder, sql } from 'kysely';
import { type Db, type HeldStatement, LOCK, lockingNamed, lockNamed } from '#database/index.ts';
import { itemAt, type JsonObject } from '#json/index.ts';
import type { StoredObject } from '#repo/index.ts';
import type { Target } from '../relationship/edge.ts';

/** One step of a path: the edge's own properties, and where it leads; `data` is null where there is nothing. */
export interface DerivedStep {
  readonly edgeProperties: JsonObject;
  readonly target: Target;
  readonly rev: number | null;
  readonly data: JsonObject | null;
}

/** Edges that follow each other through properties. */
export interface Path {
  readonly properties: readonly string[];
  /** A path that ends early is answered too if it has at least so many steps. */
  readonly least: number;
}

/** The paths by the id of the object where they begin. */
export type FoundPaths = ReadonlyMap<string, readonly (readonly DerivedStep[])[]>;

/** All paths of edges that begin at the objects and go through the properties, in the order of their edges. */
export async function followPath(
  db: Db,
  collection: string,
  ids: readonly string[],
  path: Path,
): Promise<FoundPaths> {
  const { steps, from, order } = pathSql(path);
  const { rows } = await sql<{ owner_id: string; steps: Steps }>`
    select e0.owner_id, ${steps} as steps from ${from}
    where e0.owner_collection = ${collection} and e0.owner_id = any(${ids}::text[])
      and e0.owner_property = ${path.properties[0]}
    order by ${order}`.execute(db);
  return new Map(
    [...Map.groupBy(rows, ({ owner_id }) => owner_id)].map(([id, own]) => [
      id,
      own.map(({ steps }) => told(steps)),
    ]),
  );
}

/**
 * Some objects of a type, and the paths that begin at them, as they are at one moment.
 *
 * @param knownTo a client: what it calls them comes along
 */
export async function listWithPaths(
  db: Db,
  type: string,
  those: Those,
  paths: readonly Path[],
  knownTo?: string,
): Promise<{ readonly objects: readonly StoredObject[]; readonly found: readonly FoundPaths[] }> {
  const columns = paths.map((path) => {
    const { steps, from, order } = pathSql(path);
    return sql`coalesce((select jsonb_agg(${steps} order by ${order}) from ${from}
      where e0.owner_collection = ${`managed/${type}`} and e0.owner_id = o.id
        and e0.owner_property = ${path.properties[0]}), '[]')`;
  });
  const named =
    knownTo === undefined
      ? sql``
      : sql`, (select e.external_id from scim_external_id e
          where e.client = ${knownTo} and e.type = o.type and e.id = o.id) as external_id`;
  const { rows } = await sql<StoredObject & { paths: readonly (readonly Steps[])[] }>`
    select o.id, o.rev, o.data, o.created_at, o.updated_at${named}, jsonb_build_array(${sql.join(columns)}) as paths
    from managed_object o where o.type = ${type} and o.id ${those}`.execute(db);
  const found = paths.map((_, at) => new Map(rows.map((row) => [row.id, itemAt(row.paths, at).map(told)])));
  return { objects: rows.map(({ paths: _, ...object }) => object), found };
}

/** The condition that says which objects of a type are meant. */
export type Those = RawBuilder<unknown>;

/** One by its id. */
export function withId(id: string): Those {
  return sql`= ${id}`;
}

/** Where a property of others leads, as far as they are of that collection. */
export function referredToBy(
  owners: { readonly collection: string; readonly ids: readonly string[]; readonly property: string },
  collection: string,
): Those {
  return sql`in (
    select e.target_id from relationship_end e
    where e.owner_collection = ${owners.collection} and e.owner_id = any(${owners.ids}::text[])
      and e.owner_property = ${owners.property} and e.target_collection = ${collection})`;
}

type Steps = readonly (DerivedStep | null)[];

function told(steps: Steps): readonly DerivedStep[] {
  return steps.filter((step) => step !== null);
}

function pathSql({ properties, least }: Path) {
  const all = properties.map((property, index) => stepSql(property, index, index >= least));
  return {
    steps: sql`jsonb_build_array(${sql.join(all.map(({ column }) => column))})`,
    from: sql.join(
      all.map(({ from }) => from),
      sql` `,
    ),
    order: sql.join(all.map(({ edge }) => sql`${edge}.id`)),
  };
}

interface StepSql {
  readonly edge: RawBuilder<unknown>;
  readonly from: RawBuilder<unknown>;
  readonly column: RawBuilder<unknown>;
}

function stepSql(property: string, index: number, mayEnd: boolean): StepSql {
  const edge = sql.table(`e${index}`);
  const object = sql.table(`o${index}`);
  const raw = sql.table(`r${index}`);
  const before = sql.table(`e${index - 1}`);
  const join = mayEnd ? sql`left join` : sql`join`;
  const edges =
    index === 0
      ? sql`relationship_end ${edge}`
      : sql`${join} relationship_end ${edge} on ${edge}.owner_collection = ${before}.target_collection
          and ${edge}.owner_id = ${before}.target_id and ${edge}.owner_property = ${property}`;
  const from = sql`${edges}
    left join managed_object ${object} on ${edge}.target_collection like 'managed/%'
      and ${object}.type = substr(${edge}.target_collection, 9) and ${object}.id = ${edge}.target_id
    left join repo_object ${raw} on ${edge}.target_collection like 'repo/%'
      and ${raw}.type = substr(${edge}.target_collection, 6) and ${raw}.id = ${edge}.target_id`;
  const told = sql`jsonb_build_object('edgeProperties', ${edge}.properties,
    'target', jsonb_build_object('collection', ${edge}.target_collection, 'id', ${edge}.target_id),
    'rev', coalesce(${object}.rev, ${raw}.rev), 'data', coalesce(${object}.data, ${raw}.data - 'password'))`;
  return { edge, from, column: mayEnd ? sql`case when ${edge}.id is not null then ${told} end` : told };
}

/**
 * Whoever writes an object with stored derivations holds the lock of its type in common, and who changes what many of
 * them look at holds it alone, so that no object is missed between the two. It comes before any lock of a row of the
 * type.
 */
export async function lockDerivations(db: Db, type: string, how: 'in common' | 'alone'): Promise<void> {
  await lockNamed(db, LOCK.derivationsOf(type), how);
}

/** As `lockDerivations`, by a statement that nobody waits for. */
export function lockingDerivations(type: string, how: 'in common' | 'alone'): HeldStatement {
  return { statement: lockingNamed(LOCK.derivationsOf(type), how) };
}

/** The objects of a collection from which a path of properties leads to one of the targets. */
export async function listOrigins(
  db: Db,
  collection: string,
  path: readonly string[],
  targets: { readonly collection: string; readonly ids: readonly string[] },
): Promise<readonly string[]> {
  const last = path.length - 1;
  const edge = (index: number) => sql.table(`e${index}`);
  const joins = path.slice(0, last).map((property, index) => {
    const [own, next] = [edge(index), edge(index + 1)];
    return sql`join relationship_end ${own} on ${own}.target_collection = ${next}.owner_collection
      and ${own}.target_id = ${next}.owner_id and ${own}.owner_property = ${property}`;
  });
  const { rows } = await sql<{ id: string }>`
    select distinct e0.owner_id as id
    from relationship_end ${edge(last)}
    ${sql.join(joins.toReversed(), sql` `)}
    where ${edge(last)}.target_collection = ${targets.collection}
      and ${edge(last)}.target_id = any(${targets.ids}::text[])
      and ${edge(last)}.owner_property = ${path[last]}
      and e0.owner_collection = ${collection}`.execute(db);
  return rows.map(({ id }) => id);
}

/** What objects store of some properties; null where there is nothing. Those that do not exist are left out. */
export async function listMembers(
  db: Db,
  type: string,
  ids: readonly string[],
  names: readonly string[],
): Promise<readonly { readonly id: string; readonly members: JsonObject }[]> {
  const members = names.flatMap((name) => [sql`${name}::text`, sql`data->${name}`]);
  const { rows } = await sql<{ id: string; members: JsonObject }>`
    select id, jsonb_build_object(${sql.join(members)}) as members
    from managed_object where type = ${type} and id = any(${ids}::text[])`.execute(db);
  return rows;
}

/** Writes members into objects, each of which gets a new revision, with one statement. */
export async function updateMembers(
  db: Db,
  type: string,
  changes: readonly { readonly id: string; readonly members: JsonObject }[],
): Promise<void> {
  await sql`update managed_object o set data = o.data || c.members, rev = o.rev + 1, updated_at = now()
    from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as c (id text, members jsonb)
    where o.type = ${type} and o.id = c.id collate "C"`.execute(db);
}

/** The same of objects that keep their revisions, as nobody has changed them. */
export async function completeMembers(
  db: Db,
  type: string,
  changes: readonly { readonly id: string; readonly members: JsonObject }[],
): Promise<void> {
  await sql`update managed_object o set data = o.data || c.members
    from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as c (id text, members jsonb)
    where o.type = ${type} and o.id = c.id collate "C"`.execute(db);
}

/** Ids of a type beyond one of them, in their order. */
export async function listIdsAfter(
  db: Db,
  type: string,
  after: string,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from managed_object where type = ${type} and id > ${after} order by id limit ${limit}`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}
