import { MET, type Policy, type PolicyPlace, unmet } from './policy.ts';
import { findOther, lockValue } from './unique-repository.ts';

/** No other object of the collection has that value. */
const unique: Policy = {
  id: 'unique',
  requirements: ['UNIQUE'],
  skipsAbsent: true,
  check: ({ value, property, place }) => checkUnique(place, place.collection, property, value),
};

/** No internal user has that name. */
const noInternalUserConflict: Policy = {
  id: 'no-internal-user-conflict',
  requirements: ['UNIQUE'],
  skipsAbsent: true,
  check: ({ value, place }) => checkUnique(place, 'repo/internal/user', '_id', value),
};

async function checkUnique(place: PolicyPlace, collection: string, property: string, value: unknown) {
  if (typeof value !== 'string' || value === '') return MET;
  const db = await place.db();
  // Two who want the same value at once must see each other.
  if (place.isBinding) await lockValue(db, [collection, property.replace(/\[\d+\]/g, '[]'), value]);
  const own = collection === place.collection ? place.id : null;
  return (await findOther(db, collection, property, value, own)) === undefined ? MET : unmet('UNIQUE');
}

export const UNIQUE_POLICIES: readonly Policy[] = [unique, noInternalUserConflict];
