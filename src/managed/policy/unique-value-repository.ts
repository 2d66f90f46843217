import { type RawBuilder, sql } from 'kysely';
import { type Db, type GroupWrite, tryLockNamed, type UnitOfWork } from '#database/index.ts';
import { firstOf, parsePointer } from '#json/index.ts';
import { hasPending, hasSameText } from '#repo/index.ts';
import { lockOf, storeOf, type UniqueValue } from './unique-repository.ts';

export type { UniqueValue } from './unique-repository.ts';

/**
 * Values that no other object has when the unit of work commits. Their locks are tried and not waited for: whoever asks
 * about one of them now, in a transaction that may be long, must not hold up all that is stored together with it.
 */
export const uniqueValues: GroupWrite<UniqueValue> = {
  isGuarded: true,
  keyOf: lockOf,
  locksOf: (wanted) => [lockOf(wanted)],
  steps: (all) =>
    [...Map.groupBy(all, comparedBy).values()].map((wanted) => {
      const distinct = [...new Map(wanted.map((one) => [JSON.stringify([one.value, one.id]), one])).values()];
      // When two objects want the same value, there is one row.
      return {
        statement: sql`select distinct value from (${free(distinct)}) free`,
        returns: distinct.length,
      };
    }),
  async run(db, all) {
    const stored: boolean[] = [];
    for (const wanted of all) stored.push(await isFree(db, wanted));
    return stored;
  },
};

/** What is compared in the same way can be asked for at once. */
export function comparedBy({ collection, property, ignoresCase }: UniqueValue): string {
  return JSON.stringify([collection, property, ignoresCase]);
}

/** Whether a value may be reserved: nothing is pending that a look at the database would not show. */
export function mayReserve(unitOfWork: UnitOfWork, wanted: Omit<UniqueValue, 'id'>): boolean {
  if (!unitOfWork.isLight || wanted.property.includes('[')) return false;
  return !hasPending(unitOfWork, storeOf(wanted.collection));
}

/** Finds out which values, of one property of a collection, no other object has. @returns their places in the list */
export async function listFree(db: Db, wanted: readonly UniqueValue[]): Promise<readonly number[]> {
  const { rows } = await sql<{ at: number }>`select at from (${free(wanted)}) free`.execute(db);
  return rows.map(({ at }) => at);
}

/** Selects the values, of one property of a collection, that no other object has. */
function free(wanted: readonly UniqueValue[]): RawBuilder<unknown> {
  const { collection, property, ignoresCase } = firstOf(wanted);
  const { table, type } = storeOf(collection);
  const values = wanted.map(({ value, id }, at) => ({ value, id, at }));
  // By the index for each of them, however many there are: `offset 0` keeps the planner from reading the whole type.
  return sql`
    select wanted.value, wanted.at
    from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as wanted (value text, id text, at int)
    where not exists (
      select from ${sql.table(table)} other
      where other.type = ${sql.lit(type)} and ${hasSameText(parsePointer(property), 'other', sql`wanted.value`, { ignoresCase })}
        and other.id <> wanted.id
      offset 0)`;
}

async function isFree(db: Db, wanted: UniqueValue): Promise<boolean> {
  return (await tryLockNamed(db, lockOf(wanted))) && (await free([wanted]).execute(db)).rows.length === 1;
}
