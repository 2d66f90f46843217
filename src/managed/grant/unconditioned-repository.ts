import { sql } from 'kysely';
import type { Database, GroupWrite, UnitOfWork } from '#database/index.ts';
import { oneRow } from '#database/index.ts';

/** A type whose objects may have conditions, in this property. */
interface Place {
  readonly type: string;
  readonly field: string;
}

/** No object of the type has a condition when the unit of work commits: there is nothing to grant by one. */
const noConditions: GroupWrite<Place> = {
  isGuarded: true,
  mayWait: true,
  steps: (places) =>
    distinct(places).map(({ type, field }) => ({
      statement: sql`select 1 from (select is_unconditioned(${type}, ${field}) as is) asked where asked.is`,
      returns: 1,
    })),
  run: (db, places) =>
    Promise.all(
      places.map(async ({ type, field }) => {
        const { rows } = await sql<{ is: boolean }>`
          select is_unconditioned(${type}, ${field}) as is`.execute(db);
        return oneRow(rows).is;
      }),
    ),
};

/** The places, by database, where there was no condition when somebody last looked. */
const seen = new WeakMap<Database, Set<string>>();

function seenIn(database: Database): Set<string> {
  const places = seen.get(database) ?? new Set<string>();
  seen.set(database, places);
  return places;
}

/** Remembers what a look at the conditions of a place has shown. It may change at any time. */
export function noteConditions(database: Database, { type, field }: Place, areThere: boolean): void {
  const key = keyOf({ type, field });
  if (areThere) seenIn(database).delete(key);
  else seenIn(database).add(key);
}

/** Whether it is worth while to go without a look, and to be run again if there is a condition after all. */
export function seemsUnconditioned(database: Database, places: readonly Place[]): boolean {
  return places.every((place) => seenIn(database).has(keyOf(place)));
}

/** @returns false when somebody has to look, because there may be a condition */
export async function assumeUnconditioned(
  database: Database,
  unitOfWork: UnitOfWork,
  places: readonly Place[],
): Promise<boolean> {
  if (!unitOfWork.mayGroup || !seemsUnconditioned(database, places)) return false;
  await unitOfWork.writeAll(noConditions, places);
  return true;
}

function keyOf({ type, field }: Place): string {
  return JSON.stringify([type, field]);
}

function distinct(places: readonly Place[]): readonly Place[] {
  return [...new Map(places.map((place) => [keyOf(place), place])).values()];
}
