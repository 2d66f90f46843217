import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { cutPage, filterSql, pageSql, type QueryTable } from '#repo/index.ts';
import {
  formatPath,
  type PlainQuery,
  parsePageCookie,
  type QueryRequest,
  type TotalPolicy,
  totalOrder,
} from '#resource/index.ts';
import type { Edge, Target } from './edge.ts';

export interface EdgePage {
  readonly edges: readonly Edge[];
  readonly cookie: string | null;
  readonly total: number;
  readonly totalPolicy: TotalPolicy;
}

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

/** One page of the edges of a property, as one statement (and one more when a total is asked for). */
export async function queryEdges(
  db: Db,
  owner: Target & { readonly property: string },
  request: Pick<QueryRequest, 'path' | 'sortKeys' | 'paging'>,
  { filter }: PlainQuery,
): Promise<EdgePage> {
  const order = totalOrder(request.sortKeys);
  const query = { scope: formatPath(request.path), filter, order };
  const { cookie, offset, pageSize, totalPolicy } = request.paging;
  const start =
    cookie !== undefined
      ? parsePageCookie(query, cookie)
      : offset > 0
        ? { kind: 'offset' as const, offset }
        : undefined;
  const from = sql`relationship_end e
    left join managed_object o on e.target_collection like 'managed/%'
      and o.type = substr(e.target_collection, 9) and o.id = e.target_id
    left join repo_object r on e.target_collection like 'repo/%'
      and r.type = substr(e.target_collection, 6) and r.id = e.target_id`;
  const where = [
    sql<boolean>`e.owner_collection = ${owner.collection}`,
    sql<boolean>`e.owner_id = ${owner.id}`,
    sql<boolean>`e.owner_property = ${owner.property}`,
    filterSql(filter, TABLE),
  ];
  const { rows } = await pageSql<EdgeRow>({
    select: sql`e.id, e.rev, e.properties, e.target_collection, e.target_id`,
    from,
    where,
    table: TABLE,
    order,
    pageSize,
    ...(start === undefined ? {} : { start }),
  }).execute(db);
  const page = cutPage(rows, pageSize, query);
  const edges = page.rows.map((row) => ({
    id: row.id,
    rev: row.rev,
    ownerId: owner.id,
    property: owner.property,
    target: { collection: row.target_collection, id: row.target_id },
    properties: row.properties,
  }));
  if (totalPolicy === 'NONE') return { edges, cookie: page.cookie, total: -1, totalPolicy };
  const counted = await sql<{ count: number }>`select count(*) as count from ${from}
    where ${sql.join(where, sql` and `)}`.execute(db);
  return { edges, cookie: page.cookie, total: counted.rows[0]!.count, totalPolicy: 'EXACT' };
}

interface EdgeRow {
  readonly id: string;
  readonly rev: number;
  readonly properties: JsonObject;
  readonly target_collection: string;
  readonly target_id: string;
}
