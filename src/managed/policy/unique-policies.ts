import type { Db } from '#database/index.ts';
import { getAt, isObject, type JsonObject, type Pointer } from '#json/index.ts';
import { findObject } from '#repo/index.ts';
import { lowerCaseOf } from '#resource/index.ts';
import { MET, type Policy, type PolicyPlace, unmet } from './policy.ts';
import { seemsFree } from './seem-free.ts';
import { findOther, lockValue, storeOf } from './unique-repository.ts';
import { mayReserve, type UniqueValue, uniqueValues } from './unique-value-repository.ts';

/** No other object of the collection has that value; with the parameter `ignoreCase`, in whatever case. */
const unique: Policy = {
  id: 'unique',
  requirements: ['UNIQUE'],
  params: { ignoreCase: { type: 'boolean', description: 'In whatever case' } },
  skipsAbsent: true,
  asksDatabase: true,
  async check({ value, params, property, place }) {
    if (typeof value !== 'string' || value === '' || !place.tellsOfOthers) return MET;
    const ignoresCase = ignoresCaseBy(params, property);
    const wanted = {
      collection: place.collection,
      property: property.replace(/\[\d+\]/g, '[]'),
      value: ignoresCase ? lowerCaseOf(value) : value,
      ignoresCase,
    };
    if (place.isBinding) {
      // What it had before was its own before, too.
      const stored = await place.stored();
      if (stored !== null && getAt(stored, pointerOf(property)) === value) return MET;
      if (await reserve(place, wanted)) return MET;
      // Two who want the same value at once must see each other: a transaction looks when it has the lock.
      const db = await place.db();
      const [, outcome] = await Promise.all([lockValue(db, wanted), requireNoOther(db, wanted, place.id)]);
      return outcome;
    }
    return requireNoOther(await place.db(), wanted, place.id);
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

/** The reader for what need not stay so until the commit, and is not about anything pending. */
function readerOf({ db, unitOfWork }: PolicyPlace): Promise<Db> {
  return unitOfWork?.readerBesidePending() ?? db();
}

async function requireNoOther(db: Db, wanted: Omit<UniqueValue, 'id'>, ownId: string | null) {
  return (await findOther(db, wanted, ownId)) === undefined ? MET : unmet('UNIQUE');
}

/** Elements of arrays are found by what contains them, letter by letter. */
function ignoresCaseBy({ ignoreCase }: JsonObject, property: string): boolean {
  return ignoreCase === true && !property.includes('[');
}

/** `tags[0]/name` as a pointer. */
function pointerOf(property: string): Pointer {
  return property.replace(/\[(\d+)\]/g, '/$1').split('/');
}

/** Properties whose values are unique in whatever case: they are looked for so. */
export function uniqueIgnoringCase(properties: JsonObject): readonly string[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    const policies = isObject(property) && Array.isArray(property['policies']) ? property['policies'] : [];
    const isSo = policies.some(
      (policy) =>
        isObject(policy) &&
        policy['policyId'] === unique.id &&
        isObject(policy['params']) &&
        ignoresCaseBy(policy['params'], name),
    );
    return isSo ? [name] : [];
  });
}

export const UNIQUE_POLICIES: readonly Policy[] = [unique, noInternalUserConflict];
