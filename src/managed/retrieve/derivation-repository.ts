import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { Target } from '../relationship/edge.ts';

/** One step of a path: the edge's own properties, and where it leads; `data` is null where there is nothing. */
export interface DerivedStep {
  readonly edgeProperties: JsonObject;
  readonly target: Target;
  readonly rev: number | null;
  readonly data: JsonObject | null;
}

/** All paths of edges that begin at the objects and go through the properties, in the order of their edges. */
export async function followPath(
  db: Db,
  collection: string,
  ids: readonly string[],
  path: readonly string[],
): Promise<readonly { readonly ownerId: string; readonly steps: readonly DerivedStep[] }[]> {
  const columns: RawBuilder<unknown>[] = [];
  const joins: RawBuilder<unknown>[] = [];
  const order: RawBuilder<unknown>[] = [];
  for (const [index, property] of path.entries()) {
    const edge = sql.table(`e${index}`);
    const object = sql.table(`o${index}`);
    const raw = sql.table(`r${index}`);
    const before = sql.table(`e${index - 1}`);
    joins.push(
      index === 0
        ? sql`relationship_end ${edge}`
        : sql`join relationship_end ${edge} on ${edge}.owner_collection = ${before}.target_collection
            and ${edge}.owner_id = ${before}.target_id and ${edge}.owner_property = ${property}`,
      sql`left join managed_object ${object} on ${edge}.target_collection like 'managed/%'
          and ${object}.type = substr(${edge}.target_collection, 9) and ${object}.id = ${edge}.target_id
        left join repo_object ${raw} on ${edge}.target_collection like 'repo/%'
          and ${raw}.type = substr(${edge}.target_collection, 6) and ${raw}.id = ${edge}.target_id`,
    );
    columns.push(sql`jsonb_build_object('edgeProperties', ${edge}.properties,
      'target', jsonb_build_object('collection', ${edge}.target_collection, 'id', ${edge}.target_id),
      'rev', coalesce(${object}.rev, ${raw}.rev), 'data', coalesce(${object}.data, ${raw}.data - 'password'))`);
    order.push(sql`${edge}.id`);
  }
  const { rows } = await sql<{ owner_id: string; steps: DerivedStep[] }>`
    select e0.owner_id, jsonb_build_array(${sql.join(columns)}) as steps
    from ${sql.join(joins, sql` `)}
    where e0.owner_collection = ${collection} and e0.owner_id = any(${ids as string[]}::text[])
      and e0.owner_property = ${path[0]}
    order by ${sql.join(order)}`.execute(db);
  return rows.map(({ owner_id, steps }) => ({ ownerId: owner_id, steps }));
}
