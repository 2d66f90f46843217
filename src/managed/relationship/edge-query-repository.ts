import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { type QueryColumn, type QueryTable, queryTable, type TablePage } from '#repo/index.ts';
import type { PlainQuery, QueryRequest } from '#resource/index.ts';
import type { Edge, Target } from './edge.ts';

/** Filters see the edge (`_ref`, `_refProperties`), and for all other names the object that it leads to. */
const TABLE: QueryTable = {
  columns: new Map([
    ['_id', { expression: sql`e.id`, type: 'text', notNull: true }],
    ['_rev', { expression: sql`e.rev::text`, type: 'text', notNull: true }],
    ['_ref', { expression: sql`(e.target_collection || '/' || e.target_id)`, type: 'text', notNull: true }],
    ['_refResourceCollection', { expression: sql`e.target_collection`, type: 'text', notNull: true }],
    ['_refResourceId', { expression: sql`e.target_id`, type: 'text', notNull: true }],
    [
      '_refProperties',
      {
        expression: sql`(jsonb_build_object('_id', e.id, '_rev', e.rev::text) || e.properties)`,
        type: 'json',
        notNull: true,
      },
    ],
  ]),
  document: sql`coalesce(o.data, r.data - 'password')`,
};

/** Where edges lead that the caller may query, and read nothing of. */
export interface HiddenTargets {
  readonly objects: readonly Target[];
  readonly collections: readonly string[];
}

/** Whether that is a member of the edge, rather than of the object that it leads to. */
export function isOfTheEdge(name: string): boolean {
  return TABLE.columns.has(name);
}

/** The ids of the objects that an object of a managed collection refers to, for a query of these objects. */
export function otherEndsColumn(collection: string, property: string): QueryColumn {
  const expression = sql`(select jsonb_agg(e.target_id) from relationship_end e
    where e.owner_collection = ${sql.lit(collection)} and e.owner_property = ${sql.lit(property)}
      and e.owner_id = managed_object.id)`;
  return { expression, type: 'json' };
}

/** One page of the edges of a property. @param hidden of these objects filters and sort keys see nothing */
export async function queryEdges(
  db: Db,
  owner: Target & { readonly property: string },
  request: QueryRequest,
  query: PlainQuery,
  hidden: HiddenTargets,
): Promise<TablePage<Edge>> {
  const isShown = isShownSql(hidden);
  const source = {
    table: TABLE,
    select: sql`e.id, e.rev, e.properties, e.target_collection, e.target_id`,
    from: sql`relationship_end e
      left join managed_object o on e.target_collection like 'managed/%'
        and o.type = substr(e.target_collection, 9) and o.id = e.target_id and ${isShown}
      left join repo_object r on e.target_collection like 'repo/%'
        and r.type = substr(e.target_collection, 6) and r.id = e.target_id and ${isShown}`,
    where: [
      sql<boolean>`e.owner_collection = ${owner.collection}`,
      sql<boolean>`e.owner_id = ${owner.id}`,
      sql<boolean>`e.owner_property = ${owner.property}`,
    ],
  };
  const page = await queryTable<EdgeRow>(db, request, source, query);
  const rows = page.rows.map((row) => ({
    id: row.id,
    rev: row.rev,
    ownerId: owner.id,
    property: owner.property,
    target: { collection: row.target_collection, id: row.target_id },
    properties: row.properties,
  }));
  return { ...page, rows };
}

/** Whether the target of an edge `e` is none of these. */
function isShownSql({ objects, collections }: HiddenTargets): RawBuilder<boolean> {
  if (objects.length + collections.length === 0) return sql`true`;
  const refs = objects.map(({ collection, id }) => `${collection}/${id}`);
  return sql`((e.target_collection || '/' || e.target_id) <> all(${refs}::text[])
    and e.target_collection <> all(${collections}::text[]))`;
}

interface EdgeRow {
  readonly id: string;
  readonly rev: number;
  readonly properties: JsonObject;
  readonly target_collection: string;
  readonly target_id: string;
}
