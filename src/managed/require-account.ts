import type { RequireAccount } from '#platform/index.ts';
import { isWordOfCaller } from '#resource/index.ts';
import type { ManagedPlatform } from './managed-platform.ts';
import { readStored } from './policy/policy-resource.ts';
import { requireRolesOf } from './steps/check-stronger-account.ts';

/** Refuses who could so set the password of an account whose roles open more than theirs (`ACCOUNT_NOT_YOURS`). */
export function requireAccount(platform: ManagedPlatform): RequireAccount {
  return async (context, { collection, id }, field) => {
    const type = platform.types.at(collection);
    if (!isWordOfCaller(context) || type === undefined) return;
    if (platform.roleGrants.waysInAt(collection).length === 0) return;
    const object = await readStored(platform, context, collection, id);
    if (object === null) return;
    await requireRolesOf(platform, context, { collection, id, type, object }, field);
  };
}
