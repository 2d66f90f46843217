import { beforeCommit, type Change, type Database, type UnitOfWork } from '#database/index.ts';
import { ForbiddenError } from '#errors/index.ts';
import { equalJson, isObject, type JsonValue } from '#json/index.ts';
import { formatPath, parsePath } from '#resource/index.ts';
import { isActive } from './account.ts';
import { foldName, mixesAlphabets, nameKey } from './login-name.ts';
import {
  endSessionsOf,
  type LoginName,
  loginNameInserts,
  releaseLoginName,
} from './login-name-repository.ts';
import type { LoginPlaces } from './login-places.ts';

/**
 * Goes with each change of an account: no two accounts have names that look the same, whichever way they are written
 * and whoever is faster, and with another password, or when the account is no longer active, its sessions are over.
 */
export function followAccounts(database: Database, places: () => LoginPlaces): void {
  beforeCommit(database, async (unitOfWork) => {
    const { propertiesOf, reserved } = places();
    for (const change of unitOfWork.changes) {
      if (!change.resource.includes('/')) continue;
      // What is written raw is the same object.
      const path = parsePath(change.resource.replace(/^repo\/managed\//, 'managed/'));
      const collection = formatPath(path.slice(0, -1));
      const properties = propertiesOf.get(collection);
      if (properties === undefined) continue;
      const account = { collection, id: path.at(-1)! };
      const nameOf = (content: JsonValue) => nameIn(content, properties.name, account);
      await followName(
        unitOfWork,
        account,
        nameOf(change.before),
        nameOf(change.after),
        properties.name,
        reserved,
      );
      if (endsSessions(change, properties.credential)) {
        await endSessionsOf(await unitOfWork.db(), collection, account.id);
      }
    }
  });
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
  reserved: ReadonlySet<string>,
): Promise<void> {
  if (before?.key === after?.key && before?.name === after?.name) return;
  if (before !== undefined) await releaseLoginName(await unitOfWork.db(), collection, id);
  if (after === undefined) return;
  if (property !== null && mixesAlphabets(after.name)) throw refused('SINGLE_ALPHABET', property, after.name);
  const isFree = property === null || !reserved.has(after.key);
  if (!isFree || !(await unitOfWork.write(loginNameInserts, after))) {
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
        ? 'Somebody has this name, or one that looks the same'
        : 'Letters of one alphabet, so that nobody can be taken for somebody else',
    detail: {
      value,
      result: false,
      failedPolicyRequirements: [{ property, policyRequirements: [{ policyRequirement }] }],
    },
  });
}
