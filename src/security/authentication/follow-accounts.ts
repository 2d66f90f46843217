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
      await followNames(unitOfWork, account, change, properties.names, current);
      if (endsSessions(change, properties.credentials)) {
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

async function followNames(
  unitOfWork: UnitOfWork,
  { collection, id }: { readonly collection: string; readonly id: string },
  { before, after }: Change,
  properties: ReadonlySet<string | null>,
  places: LoginPlaces,
): Promise<void> {
  const account = { collection, id };
  const changed: Named[] = [];
  const names = new Map<string, LoginName>();
  for (const property of properties) {
    const old = nameIn(before, property, account);
    const now = nameIn(after, property, account);
    if (now !== undefined && !names.has(now.key)) names.set(now.key, now);
    if (old?.key !== now?.key || old?.name !== now?.name) changed.push({ property, now });
  }
  const [first] = changed;
  if (first === undefined) return;
  if (names.size === 0) {
    await unitOfWork.hold(releasingLoginName(collection, id));
    return;
  }
  for (const { property, now } of changed) {
    if (now === undefined) continue;
    if (property !== null && mixesAlphabets(now.name)) throw refused('SINGLE_ALPHABET', property, now.name);
    if (isReserved(places, now)) throw unique({ property, now });
  }
  const isNew = !isObject(before);
  if (!isNew && !(await unitOfWork.write(loginNameMoves, [...names.values()]))) {
    throw unique(changed.find(({ now }) => now !== undefined) ?? first);
  }
  for (const [key, name] of isNew ? names : []) {
    if (await unitOfWork.write(loginNameInserts, name)) continue;
    throw unique(changed.find(({ now }) => now?.key === key) ?? first);
  }
}

interface Named {
  readonly property: string | null;
  readonly now: LoginName | undefined;
}

function unique({ property, now }: Named): ForbiddenError {
  return refused('UNIQUE', property ?? '_id', now?.name ?? '');
}

function endsSessions({ operation, before, after }: Change, credentials: ReadonlySet<string>): boolean {
  if (operation === 'create' || !isObject(before)) return false;
  if (operation === 'delete' || !isObject(after)) return true;
  const isAnother = (name: string) => !equalJson(before[name] ?? null, after[name] ?? null);
  return [...credentials].some(isAnother) || !isActive(after);
}

/** The refusal in the shape of a failed policy, which clients know. */
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
