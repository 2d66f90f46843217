import type { Db } from '#database/index.ts';
import { getAt, type Pointer } from '#json/index.ts';
import { findObject } from '#repo/index.ts';
import { MET, type Policy, type PolicyPlace, unmet } from './policy.ts';
import { seemsFree } from './seem-free.ts';
import { findOther, lockValue, storeOf } from './unique-repository.ts';
import { mayReserve, type UniqueValue, uniqueValues } from './unique-value-repository.ts';

/** No other object of the collection has that value. */
const unique: Policy = {
  id: 'unique',
  requirements: ['UNIQUE'],
  skipsAbsent: true,
  asksDatabase: true,
  async check({ value, property, place }) {
    if (typeof value !== 'string' || value === '' || !place.tellsOfOthers) return MET;
    if (place.isBinding) {
      // What it had before was its own before, too.
      const stored = await place.stored();
      if (stored !== null && getAt(stored, pointerOf(property)) === value) return MET;
      const wanted = { collection: place.collection, property: property.replace(/\[\d+\]/g, '[]'), value };
      if (await reserve(place, wanted)) return MET;
      // Two who want the same value at once must see each other: a transaction looks when it has the lock.
      const db = await place.db();
      const [, outcome] = await Promise.all([
        lockValue(db, wanted),
        requireNoOther(db, place.collection, property, value, place.id),
      ]);
      return outcome;
    }
    return requireNoOther(await place.db(), place.collection, property, value, place.id);
  },
};

/** No internal user has that name. */
const noInternalUserConflict: Policy = {
  id: 'no-internal-user-conflict',
  requirements: ['UNIQUE'],
  skipsAbsent: true,
  asksDatabase: true,
  async check({ value, place }) {
    if (typeof value !== 'string' || value === '' || !place.tellsOfOthers) return MET;
    const user = await findObject(await readerOf(place), INTERNAL_USERS, value);
    return user === undefined ? MET : unmet('UNIQUE');
  },
};

const INTERNAL_USERS = storeOf('repo/internal/user');

/**
 * Has the commit ask whether the value is unique, if it seems so now and nothing of the same collection is pending, which
 * nobody could see.
 */
async function reserve(place: PolicyPlace, wanted: Omit<UniqueValue, 'id'>): Promise<boolean> {
  const { unitOfWork, id } = place;
  if (unitOfWork === undefined || id === null || !mayReserve(unitOfWork, wanted)) return false;
  const db = await unitOfWork.readerBesidePending();
  if (!(await seemsFree(db, { ...wanted, id }))) return false;
  return unitOfWork.write(uniqueValues, { ...wanted, id });
}

/** For what need not stay so until the commit, and is not about anything pending. */
function readerOf({ db, unitOfWork }: PolicyPlace): Promise<Db> {
  return unitOfWork?.readerBesidePending() ?? db();
}

async function requireNoOther(
  db: Db,
  collection: string,
  property: string,
  value: string,
  ownId: string | null,
) {
  const other = await findOther(db, collection, property, value, ownId);
  return other === undefined ? MET : unmet('UNIQUE');
}

/** `tags[0]/name` as a pointer. */
function pointerOf(property: string): Pointer {
  return property.replace(/\[(\d+)\]/g, '/$1').split('/');
}

export const UNIQUE_POLICIES: readonly Policy[] = [unique, noInternalUserConflict];
