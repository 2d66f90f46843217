import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { Seal, SealedEntry } from './seal.ts';

/** A time as it is signed. */
export function isoTime(time: RawBuilder<unknown>): RawBuilder<string> {
  return sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** Whoever seals does so alone, until the end of the transaction; commits of entries wait for nobody. */
export async function trySealing(db: Db): Promise<boolean> {
  const { rows } = await sql<{ mine: boolean }>`
    select pg_try_advisory_xact_lock(hashtext('audit_seal')) as mine`.execute(db);
  return rows[0]!.mine;
}

export async function hasUnsealed(db: Db): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`select exists (select from audit_unsealed) as has`.execute(db);
  return rows[0]!.has;
}

/** How long the oldest entry has been waiting for its seal. */
export async function unsealedSeconds(db: Db): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(extract(epoch from clock_timestamp() - min(stored_at)), 0)::float8 as seconds
    from audit_unsealed`.execute(db);
  return rows[0]!.seconds;
}

export interface UnsealedEntry extends SealedEntry {
  readonly node: string;
  readonly month: string;
}

/** Takes entries that wait for their seal: all of them are committed. */
export async function takeUnsealed(db: Db, limit: number): Promise<UnsealedEntry[]> {
  const { rows } = await sql<UnsealedEntry>`
    with taken as (
      delete from audit_unsealed where ctid = any(array(select ctid from audit_unsealed limit ${limit}))
      returning id, recorded_at, node, signature)
    select id::text as id, coalesce(node, '') as node, signature,
           ${isoTime(sql`date_trunc('month', recorded_at, 'UTC')`)} as month
    from taken order by id`.execute(db);
  return rows;
}

export interface ChainHead {
  readonly month: string;
  readonly node: string;
  readonly part: number;
  readonly signature: string;
}

/** The last seals of chains; without those that have none yet. */
export async function findHeads(
  db: Db,
  chains: readonly { readonly month: string; readonly node: string }[],
): Promise<ChainHead[]> {
  const { rows } = await sql<ChainHead>`
    select chain.month, chain.node, head.part, head.signature
    from jsonb_to_recordset(${JSON.stringify(chains)}::jsonb) as chain (month text, node text)
    cross join lateral (
      select part, signature from audit_seal
      where month = chain.month::timestamptz and node = chain.node order by part desc limit 1) head`.execute(
    db,
  );
  return rows;
}

export interface LastSeal {
  /** 0 when there is none. */
  readonly number: number;
  /** The database's clock. */
  readonly now: string;
}

export async function findLastSeal(db: Db): Promise<LastSeal> {
  const { rows } = await sql<LastSeal>`
    select coalesce((select max(number) from audit_seal), 0)::int8 as number,
           ${isoTime(sql`clock_timestamp()`)} as now`.execute(db);
  return rows[0]!;
}

export async function insertSeals(db: Db, seals: readonly Seal[]): Promise<void> {
  const rows = seals.map((seal) => ({ ...seal, sealed_at: seal.sealedAt, ids: `{${seal.ids.join()}}` }));
  await sql`
    insert into audit_seal (number, month, node, part, sealed_at, ids, previous, digest, signature)
    select number, month, node, part, sealed_at, ids::uuid[], previous, digest, signature
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as seal (number int8, month timestamptz, node text,
      part int, sealed_at timestamptz, ids text, previous text, digest text, signature text)`.execute(db);
}
