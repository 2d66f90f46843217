import { getAt, type Pointer } from '#json/index.ts';
import { MET, type Policy, type PolicyPlace, unmet } from './policy.ts';
import { findOther, lockValue } from './unique-repository.ts';

/** No other object of the collection has that value. */
const unique: Policy = {
  id: 'unique',
  requirements: ['UNIQUE'],
  skipsAbsent: true,
  async check({ value, property, place }) {
    if (typeof value !== 'string' || value === '' || !place.tellsOfOthers) return MET;
    if (place.isBinding) {
      // What it had before was its own before, too.
      const stored = await place.stored();
      if (stored !== null && getAt(stored, pointerOf(property)) === value) return MET;
      // Two who want the same value at once must see each other.
      await lockValue(await place.db(), [place.collection, property.replace(/\[\d+\]/g, '[]'), value]);
    }
    return requireNoOther(place, place.collection, property, value, place.id);
  },
};

/** No internal user has that name. */
const noInternalUserConflict: Policy = {
  id: 'no-internal-user-conflict',
  requirements: ['UNIQUE'],
  skipsAbsent: true,
  check: ({ value, place }) =>
    typeof value === 'string' && value !== '' && place.tellsOfOthers
      ? requireNoOther(place, 'repo/internal/user', '_id', value, null)
      : MET,
};

async function requireNoOther(
  place: PolicyPlace,
  collection: string,
  property: string,
  value: string,
  ownId: string | null,
) {
  const other = await findOther(await place.db(), collection, property, value, ownId);
  return other === undefined ? MET : unmet('UNIQUE');
}

/** `tags[0]/name` as a pointer. */
function pointerOf(property: string): Pointer {
  return property.replace(/\[(\d+)\]/g, '/$1').split('/');
}

export const UNIQUE_POLICIES: readonly Policy[] = [unique, noInternalUserConflict];
