import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { portionFor } from '#work/index.ts';

/** Entries by their numbers, both ends included. */
export interface Chunk {
  readonly number: number;
  readonly low: number;
  readonly high: number;
}

/** Cuts the entries that wait into chunks of so many. @returns how many chunks */
export async function insertChunks(
  db: Db,
  run: string,
  which: { readonly state: 'listed' | 'planned'; readonly takesAway: boolean },
  size: number,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    insert into recon_chunk (run_id, number, low, high)
    select ${run}::uuid, chunk, min(number), max(number)
    from (select number, (row_number() over (order by number) - 1) / ${size}::int as chunk
          from recon_entry
          where run_id = ${run} and state = ${which.state} and takes_away = ${which.takesAway}) e
    group by chunk`.execute(db);
  return Number(numAffectedRows);
}

/** The chunk that the lane has begun, else the next that nobody has. */
export async function takeChunk(db: Db, run: string, lane: number): Promise<Chunk | undefined> {
  const { rows } = await sql<Chunk>`
    update recon_chunk c set lane = ${lane}
    where run_id = ${run} and number = ${portionFor('recon_chunk', run, lane)}
    returning number, low::float8 as low, high::float8 as high`.execute(db);
  return rows[0];
}

export async function removeChunk(db: Db, run: string, { number }: Chunk): Promise<void> {
  await sql`delete from recon_chunk where run_id = ${run} and number = ${number}`.execute(db);
}

export async function removeChunks(db: Db, run: string): Promise<void> {
  await sql`delete from recon_chunk where run_id = ${run}`.execute(db);
}
