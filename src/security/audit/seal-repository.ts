import { sql } from 'kysely';
import { type Db, LOCK, oneRow, tryLockNamed } from '#database/index.ts';
import type { Seal, SealedEntry } from './seal.ts';
import { IS_SOUND_ENTRY, IS_SOUND_SEAL, isoTime } from './sound-row-repository.ts';

/** Whoever seals does so alone, until the end of the transaction; commits of entries wait for nobody. */
export async function trySealing(db: Db): Promise<boolean> {
  return tryLockNamed(db, LOCK.sealing);
}

export async function hasUnsealed(db: Db): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`select exists (select from audit_unsealed) as has`.execute(db);
  return oneRow(rows).has;
}

/** How long the oldest entry has been waiting for its seal. */
export async function unsealedSeconds(db: Db): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(extract(epoch from clock_timestamp() - min(stored_at)), 0)::float8 as seconds
    from audit_unsealed where isfinite(stored_at)`.execute(db);
  return oneRow(rows).seconds;
}

export interface UnsealedEntry extends SealedEntry {
  readonly node: string;
  readonly month: string;
}

/**
 * Takes entries that wait for their seal: all of them are committed. What no node could have written gets none, and is
 * found for that: it must not keep others from theirs.
 */
export async function takeUnsealed(db: Db, limit: number): Promise<UnsealedEntry[]> {
  const { rows } = await sql<UnsealedEntry>`
    with taken as (
      delete from audit_unsealed where ctid = any(array(select ctid from audit_unsealed limit ${limit}))
      returning id, recorded_at, node, signature)
    select id::text as id, coalesce(node, '') as node, signature,
           ${isoTime(sql`date_trunc('month', recorded_at, 'UTC')`)} as month
    from taken where ${IS_SOUND_ENTRY} order by id`.execute(db);
  return rows;
}

/** A chain of seals: those of a node and a month. */
export type SealChain = Pick<Seal, 'month' | 'node'>;

/** A seal without the names of its entries: what is signed of it. */
export interface SealMark extends Omit<Seal, 'ids'> {
  readonly entries: number;
}

const PAGE_MARKS = 100;

/** Seals from the highest number down; with `chain`, those of it from its last part down. */
export async function* readMarks(db: Db, chain?: SealChain): AsyncGenerator<SealMark> {
  const order = chain === undefined ? 'number' : 'part';
  const isWanted =
    chain === undefined ? sql`true` : sql`month = ${chain.month}::timestamptz and node = ${chain.node}`;
  let isFurther = sql`true`;
  for (;;) {
    const { rows } = await sql<SealMark & { readonly place: string; readonly row: string }>`
      select number, ${isoTime(sql`month`)} as month, node, part, ${isoTime(sql`sealed_at`)} as "sealedAt",
             cardinality(ids) as entries, previous, digest, signature, tableoid::text as place, ctid::text as row
      from audit_seal where ${isWanted} and ${isFurther} and ${IS_SOUND_SEAL}
      order by ${sql.ref(order)} desc, tableoid desc, ctid desc limit ${PAGE_MARKS}`.execute(db);
    yield* rows;
    const last = rows[PAGE_MARKS - 1];
    if (last === undefined) return;
    isFurther = sql`(${sql.ref(order)}, tableoid, ctid) < (${last[order]}, ${last.place}::oid, ${last.row}::tid)`;
  }
}

/** The seals that say that they are the first of all. */
export async function findFirstMarks(db: Db): Promise<SealMark[]> {
  const { rows } = await sql<SealMark>`
    select number, ${isoTime(sql`month`)} as month, node, part, ${isoTime(sql`sealed_at`)} as "sealedAt",
           cardinality(ids) as entries, previous, digest, signature
    from audit_seal where number = 1 and ${IS_SOUND_SEAL} limit ${PAGE_MARKS}`.execute(db);
  return rows;
}

/** The next part of a chain that nobody has taken: somebody may have put rows where those of nodes would come. */
export async function findFreePart(db: Db, { month, node }: SealChain, above: number): Promise<number> {
  const inChain = sql`month = ${month}::timestamptz and node = ${node}`;
  const { rows } = await sql<{ part: number }>`
    select taken.part + 1 as part
    from (select ${above}::int8 as part union all select part from audit_seal where ${inChain} and part > ${above}) taken
    where not exists (select from audit_seal s where ${inChain} and s.part = taken.part + 1)
    order by 1 limit 1`.execute(db);
  return oneRow(rows).part;
}

/** The database's clock. */
export async function findNow(db: Db): Promise<string> {
  const { rows } = await sql<{ now: string }>`select ${isoTime(sql`clock_timestamp()`)} as now`.execute(db);
  return oneRow(rows).now;
}

export async function insertSeals(db: Db, seals: readonly Seal[]): Promise<void> {
  const rows = seals.map((seal) => ({ ...seal, sealed_at: seal.sealedAt, ids: `{${seal.ids.join()}}` }));
  const { numAffectedRows } = await sql`
    insert into audit_seal (number, month, node, part, sealed_at, ids, previous, digest, signature)
    select number, month, node, part, sealed_at, ids::uuid[], previous, digest, signature
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as seal (number int8, month timestamptz, node text,
      part int, sealed_at timestamptz, ids text, previous text, digest text, signature text)`.execute(db);
  if (Number(numAffectedRows) !== seals.length) {
    throw new Error(
      `the database has kept ${numAffectedRows} of ${seals.length} seals: is there a trigger on audit_seal?`,
    );
  }
}
