import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { type Completions, portionFor } from '#work/index.ts';
import type { FoundObject } from './claimable.ts';
import type { ScanState, TakenSlice, Verdict } from './scan-run.ts';

/** @param first number of the first of them */
export async function insertSlices(
  db: Db,
  run: string,
  first: number,
  slices: readonly (readonly FoundObject[])[],
): Promise<void> {
  await sql`
    insert into scan_slice (run_id, number, objects)
    select ${run}, ${first}::int + s.at - 1, s.objects
    from jsonb_array_elements(${JSON.stringify(slices)}::jsonb) with ordinality s(objects, at)`.execute(db);
}

/** The slice that the lane has begun, else the next that nobody has. */
export async function takeSlice(db: Db, run: string, lane: number): Promise<TakenSlice | undefined> {
  const { rows } = await sql<TakenSlice>`
    update scan_slice s
    set lane = ${lane}, taken = taken + 1, last_position = position,
        stuck = case when position = last_position then stuck + 1 else 0 end
    where run_id = ${run} and number = ${portionFor('scan_slice', run, lane)}
    returning number, objects, taken, position, stuck`.execute(db);
  return rows[0];
}

/**
 * Moves a slice on by the object that was just processed, in the same transaction.
 *
 * @returns the state of the run; undefined when the slice is in other hands now
 */
export async function advanceSlice(
  db: Db,
  run: string,
  { number, taken }: TakenSlice,
  position: number,
  verdict: Verdict,
): Promise<ScanState | undefined> {
  const { rows } = await sql<{ state: ScanState }>`
    update scan_slice s
    set position = position + 1, ${sql.ref(verdict)} = ${sql.ref(verdict)} + 1
    where run_id = ${run} and number = ${number} and taken = ${taken} and position = ${position}
    returning (select state from scan_run r where r.id = s.run_id) as state`.execute(db);
  return rows[0]?.state;
}

/** Objects of a slice that were processed one after the other, up to the next position. */
export interface SliceAdvance {
  readonly run: string;
  readonly number: number;
  readonly taken: number;
  readonly position: number;
  readonly next: number;
  readonly counts: Readonly<Record<Verdict, number>>;
}

/** As `advanceSlice`, for several objects that are stored together; not of a run that is over. */
export const sliceAdvances: Completions<SliceAdvance> = {
  isGuarded: true,
  keyOf: ({ run, number }) => `${run} ${number}`,
  steps: (advances) => [{ statement: sql`${moveOn(advances)} returning 1`, returns: advances.length }],
  async run(db, advances) {
    const { rows } = await sql<{ run: string; number: number }>`
      ${moveOn(advances)} returning s.run_id as run, s.number`.execute(db);
    return advances.map((asked) =>
      rows.some(({ run, number }) => run === asked.run && number === asked.number),
    );
  },
};

function moveOn(advances: readonly SliceAdvance[]) {
  const asked = advances.map(({ counts, ...advance }) => ({ ...advance, ...counts }));
  return sql`
    update scan_slice s
    set position = a.next, successes = s.successes + a.successes, failures = s.failures + a.failures,
        skipped = s.skipped + a.skipped
    from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as a (run uuid, number int, taken int, "position" int,
      next int, successes int, failures int, skipped int)
    where s.run_id = a.run and s.number = a.number and s.taken = a.taken and s.position = a.position
      and exists (select from scan_run r where r.id = a.run and r.state in ('INITIALIZED', 'ACTIVE'))`;
}

/** Adds the counts of the lane's slices to the run and removes them. Locks the run. */
export async function foldSlices(db: Db, run: string, lane: number): Promise<void> {
  await sql`
    with gone as (
      delete from scan_slice where run_id = ${run} and lane = ${lane} returning successes, failures, skipped
    )
    update scan_run r
    set successes = r.successes + g.successes, failures = r.failures + g.failures, skipped = r.skipped + g.skipped
    from (select coalesce(sum(successes), 0) as successes, coalesce(sum(failures), 0) as failures,
                 coalesce(sum(skipped), 0) as skipped from gone) g
    where r.id = ${run}`.execute(db);
}

export async function removeFreeSlices(db: Db, run: string): Promise<void> {
  await sql`delete from scan_slice where run_id = ${run} and lane is null`.execute(db);
}
