import { equalJson, formatPointer, getMember, type JsonObject } from '#json/index.ts';
import { isWordOfCaller, type WriteContext } from '#resource/index.ts';
import { type Change, collectionOf, type Exchange } from '../exchange.ts';
import type { ManagedPlatform } from '../managed-platform.ts';
import type { ManagedType } from '../managed-type.ts';
import { loginWays, namesIn, referencesBeyond } from './login-roles.ts';

/**
 * Whoever sets the name or the password by which an account comes in may come in as it is. So a caller sets none of an account
 * whose roles open more than its own do, unless that is itself.
 */
export async function checkStrongerAccount(exchange: Change): Promise<void> {
  const { platform, context, type, before, object, id } = exchange;
  const collection = collectionOf(exchange);
  const set = platform.roleGrants
    .waysInAt(collection)
    .find((property) => !equalJson(getMember(object, property) ?? null, getMember(before, property) ?? null));
  if (set === undefined) return;
  await requireRolesOf(platform, context, { collection, id, type, object: before }, formatPointer([set]));
}
checkStrongerAccount.applies = ({ context, edit, isCheck }: Exchange) =>
  edit === null && !isCheck && isWordOfCaller(context);

interface Account {
  readonly collection: string;
  readonly id: string;
  readonly type: ManagedType;
  readonly object: JsonObject;
}

/** @throws ForbiddenError `ACCOUNT_NOT_YOURS` where an account that is not the caller's own has roles that open more than theirs */
export async function requireRolesOf(
  platform: Pick<ManagedPlatform, 'roleGrants' | 'types'>,
  context: WriteContext,
  { collection, id, type, object }: Account,
  field: string,
): Promise<void> {
  const { component, id: caller } = context.security.authorization;
  if (component === collection && caller === id) return;
  const db = await context.unitOfWork.readerBesidePending();
  const granted: string[] = [];
  // What is not in effect now may be in effect when the password is used.
  for (const way of loginWays(platform, type, collection))
    granted.push(...(await referencesBeyond(db, [{ collection, id }], way)));
  const { roleGrants } = platform;
  const read = roleGrants
    .propertiesAt(collection)
    .flatMap((property) => namesIn(getMember(object, property)));
  await roleGrants.requireAccount(context, collection, [...granted, ...read], field);
}
