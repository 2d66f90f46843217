import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { Target } from '../relationship/edge.ts';

/** An edge as it is explained: when it was made, and where it leads; `data` is null where there is nothing. */
export interface GrantRow {
  readonly id: string;
  readonly properties: JsonObject;
  readonly madeAt: Date;
  readonly target: Target;
  /** The property at the other end; null where that does not know of the edge. */
  readonly reverse: string | null;
  readonly data: JsonObject | null;
}

/** The edges of a property of an object, oldest first; one more than the most, where there are more. */
export async function listGrants(
  db: Db,
  owner: Target & { readonly property: string },
  most: number,
): Promise<readonly GrantRow[]> {
  const { rows } = await sql<GrantRow>`
    select e.id, e.properties, r.created_at as "madeAt", e.target_property as reverse,
           jsonb_build_object('collection', e.target_collection, 'id', e.target_id) as target,
           coalesce(o.data, raw.data - 'password') as data
    from relationship_end e join relationship r on r.id = e.id
    left join managed_object o on e.target_collection like 'managed/%'
      and o.type = substr(e.target_collection, 9) and o.id = e.target_id
    left join repo_object raw on e.target_collection like 'repo/%'
      and raw.type = substr(e.target_collection, 6) and raw.id = e.target_id
    where e.owner_collection = ${owner.collection} and e.owner_id = ${owner.id}
      and e.owner_property = ${owner.property}
    order by e.id limit ${most + 1}`.execute(db);
  return rows;
}
