import { sql } from 'kysely';
import type { Db } from '#database/index.ts';

/** A key by its name: the beginning of a hash of it. */
export interface RingKey {
  readonly alias: string;
  readonly key: string;
  /** Live nodes that encrypt with it. */
  readonly encrypting: readonly string[];
  /** Live nodes that have it. */
  readonly nodes: readonly string[];
  /** Live nodes that lack it. */
  readonly lacking: readonly string[];
  /** The time since when something may be stored under it; null as long as nothing is. */
  readonly first_used_at: Date | null;
  readonly first_used_by: string | null;
}

/** The keys that live nodes have, and those under which something may be stored. */
export async function listRingKeys(db: Db): Promise<readonly RingKey[]> {
  const { rows } = await sql<RingKey>`
    with live as (
      select name, keys from cluster_node where svc_node_state(state, seen_at) = 'running' and keys is not null),
    held as (
      select name, ring.key collate "C" as alias, held.key collate "C" as key, held.place
      from live, jsonb_each(live.keys) ring, jsonb_array_elements_text(ring.value) with ordinality held(key, place)),
    named as (select alias, key from held union select alias, key_id from crypto_key)
    select n.alias, n.key,
           array(select name from held h where (h.alias, h.key, h.place) = (n.alias, n.key, 1) order by 1) as encrypting,
           array(select name from held h where (h.alias, h.key) = (n.alias, n.key) order by 1) as nodes,
           array(select name from live where not coalesce(keys -> n.alias, '[]') ? n.key order by 1) as lacking,
           u.first_used_at, u.first_used_by
    from named n left join crypto_key u on (u.alias, u.key_id) = (n.alias, n.key)
    order by 1, 2`.execute(db);
  return rows;
}
