import { sql } from 'kysely';
import type { Db } from '#database/index.ts';

/** For each alias the ids of its keys, the one in use first. */
export type KeyIds = Readonly<Record<string, readonly string[]>>;

/** A key under which something may be stored. */
export interface UsedKey {
  readonly alias: string;
  readonly id: string;
  /** The node that was the first to encrypt with it. */
  readonly by: string;
}

/** The keys under which something may be stored and which a ring lacks. */
export async function findLackingKeys(db: Db, ids: KeyIds): Promise<readonly UsedKey[]> {
  const { rows } = await sql<UsedKey>`
    select alias, key_id as id, first_used_by as by from crypto_key
    where not coalesce(${JSON.stringify(ids)}::jsonb -> alias, '[]') ? key_id
    order by first_used_at`.execute(db);
  return rows;
}

/**
 * Notes that something is about to be stored under a key.
 *
 * @returns keys of the alias under which something may be stored and which the ring lacks; then nothing is noted
 */
export async function noteKeyUse(
  db: Db,
  { alias, id, by, ring }: UsedKey & { readonly ring: readonly string[] },
): Promise<readonly UsedKey[]> {
  const { rows } = await sql<UsedKey>`
    with lacking as (
      select alias, key_id as id, first_used_by as by from crypto_key
      where alias = ${alias} and key_id <> all(${[...ring]}::text[])),
    noted as (
      insert into crypto_key (alias, key_id, first_used_by)
      select ${alias}, ${id}, ${by} where not exists (select from lacking)
      on conflict do nothing)
    select * from lacking`.execute(db);
  return rows;
}

/** Before everything is encrypted again: the keys in use of aliases that have been used, or of which there are several. */
export async function noteRotation(db: Db, ids: KeyIds): Promise<void> {
  await sql`
    insert into crypto_key (alias, key_id, first_used_by)
    select ring.key, ring.value->>0, 'svc keys rotate' from jsonb_each(${JSON.stringify(ids)}::jsonb) ring
    where jsonb_array_length(ring.value) > 1 or exists (select from crypto_key k where k.alias = ring.key)
    on conflict do nothing`.execute(db);
}

/** After everything has been encrypted again: forgets keys that are in use neither in this ring nor on a live node. */
export async function forgetReplacedKeys(db: Db, ids: KeyIds): Promise<void> {
  await sql`
    delete from crypto_key k
    where ${JSON.stringify(ids)}::jsonb -> k.alias ->> 0 <> k.key_id
      and not exists (select from cluster_node n
        where svc_node_state(n.state, n.seen_at) = 'running' and n.keys -> k.alias ->> 0 = k.key_id)`.execute(
    db,
  );
}

/** @returns false when nothing was stored under it as far as is known */
export async function forgetKey(db: Db, alias: string, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from crypto_key where alias = ${alias} and key_id = ${id}`.execute(db);
  return numAffectedRows === 1n;
}
