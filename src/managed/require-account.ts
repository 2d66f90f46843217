import { isWordOfCaller, type WriteContext } from '#resource/index.ts';
import type { ManagedPlatform } from './managed-platform.ts';
import { readStored } from './policy/policy-resource.ts';
import { requireRolesOf } from './steps/check-stronger-account.ts';

/** Is asked where something that a caller says leads to an object, so that others write it by that later. */
export type RequireAccount = (
  context: WriteContext,
  object: { readonly collection: string; readonly id: string },
  /** JSON pointer, or parameter, of what leads there. */
  field: string,
) => Promise<void>;

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
