import { beforeCommit, type Change, type Database, type UnitOfWork } from '#database/index.ts';
import { ForbiddenError } from '#errors/index.ts';
import { equalJson, isObject, type JsonValue } from '#json/index.ts';
import { isActive } from './account.ts';
import { foldName, mixesAlphabets, nameKey } from './login-name.ts';
import {
  endingSessionsOf,
  type LoginName,
  loginNameInserts,
  loginNameMoves,
  releasingLoginName,
} from './login-name-repository.ts';
import { isReserved, type LoginPlaces } from './login-places.ts';

/**
 * Goes with each change of an account: no two accounts have names that look the same, whichever way they are written
 * and whoever is faster, and with another password, or when the account is no longer active, its sessions are over.
 */
export function followAccounts(database: Database, places: () => LoginPlaces): void {
  beforeCommit(database, async (unitOfWork) => {
    const current = places();
    const { propertiesOf } = current;
    for (const change of unitOfWork.changes) {
      const account = accountOf(change, propertiesOf.keys());
      if (account === undefined) continue;
      const { collection } = account;
      const properties = propertiesOf.get(collection)!;
      const nameOf = (content: JsonValue) => nameIn(content, properties.name, account);
      await followName(
        unitOfWork,
        account,
        nameOf(change.before),
        nameOf(change.after),
        properties.name,
        current,
      );
      if (endsSessions(change, properties.credential)) {
        await unitOfWork.hold(endingSessionsOf(collection, account.id));
      }
    }
  });
}

/** The account that a change is about, if it is about one as a whole and not about one of its edges. */
function accountOf(
  { resource, before, after }: Change,
  collections: Iterable<string>,
): { readonly collection: string; readonly id: string } | undefined {
  // What is written raw is the same object.
  const name = resource.replace(/^repo\/managed\//, 'managed/');
  for (const collection of collections) {
    if (!name.startsWith(`${collection}/`)) continue;
    const rest = name.slice(collection.length + 1);
    const content = after ?? before;
    // Managed objects are named as they are, raw ones as in a path.
    if (isObject(content) && content['_id'] === rest) return { collection, id: rest };
    if (!rest.includes('/')) return { collection, id: decodeURIComponent(rest) };
  }
  return undefined;
}

/** An internal user is called as its id is. */
export function nameIn(
  content: JsonValue,
  property: string | null,
  { collection, id }: { readonly collection: string; readonly id: string },
): LoginName | undefined {
  if (!isObject(content)) return undefined;
  const name = property === null ? id : content[property];
  if (typeof name !== 'string' || foldName(name) === '') return undefined;
  return { key: nameKey(name), name: foldName(name), collection, id };
}

async function followName(
  unitOfWork: UnitOfWork,
  { collection, id }: { readonly collection: string; readonly id: string },
  before: LoginName | undefined,
  after: LoginName | undefined,
  property: string | null,
  places: LoginPlaces,
): Promise<void> {
  if (before?.key === after?.key && before?.name === after?.name) return;
  if (after === undefined) {
    await unitOfWork.hold(releasingLoginName(collection, id));
    return;
  }
  if (property !== null && mixesAlphabets(after.name)) throw refused('SINGLE_ALPHABET', property, after.name);
  const write = before === undefined ? loginNameInserts : loginNameMoves;
  if (isReserved(places, after) || !(await unitOfWork.write(write, after))) {
    throw refused('UNIQUE', property ?? '_id', after.name);
  }
}

function endsSessions({ operation, before, after }: Change, credential: string): boolean {
  if (operation === 'create' || !isObject(before)) return false;
  if (operation === 'delete' || !isObject(after)) return true;
  return !equalJson(before[credential] ?? null, after[credential] ?? null) || !isActive(after);
}

/** In the shape of a failed policy, which clients know. */
function refused(policyRequirement: string, property: string, value: string): ForbiddenError {
  return new ForbiddenError('Failed policy validation', {
    id: 'AUTH_NAME_REFUSED',
    hint:
      policyRequirement === 'UNIQUE'
        ? 'Somebody has this name, or one that looks the same; users of conf/authentication.json count, too'
        : 'Letters of one alphabet, so that nobody can be taken for somebody else',
    detail: {
      value,
      result: false,
      failedPolicyRequirements: [{ property, policyRequirements: [{ policyRequirement }] }],
    },
  });
}
