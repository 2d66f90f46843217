import { equalJson, formatPointer, getMember } from '#json/index.ts';
import { isWordOfCaller } from '#resource/index.ts';
import { type Change, collectionOf, type Exchange, objectPath } from '../exchange.ts';
import { loginWays, namesIn, referencesBeyond } from './login-roles.ts';

/**
 * Whoever sets the name or the password by which an account comes in may come in as it is. So a caller sets none of an account
 * whose roles open more than its own do, unless that is itself.
 */
export async function checkStrongerAccount(exchange: Change): Promise<void> {
  const { platform, context, type, before, object, id } = exchange;
  const { roleGrants } = platform;
  const collection = collectionOf(exchange);
  const set = roleGrants
    .waysInAt(collection)
    .find((property) => !equalJson(getMember(object, property) ?? null, getMember(before, property) ?? null));
  const { component, id: caller } = context.security.authorization;
  if (set === undefined || `${component}/${caller}` === objectPath(exchange)) return;
  const db = await context.unitOfWork.readerBesidePending();
  const granted: string[] = [];
  // What is not in effect now may be in effect when the password is used.
  for (const way of loginWays(platform, type, collection))
    granted.push(...(await referencesBeyond(db, [{ collection, id }], way)));
  const read = roleGrants
    .propertiesAt(collection)
    .flatMap((property) => namesIn(getMember(before, property)));
  await roleGrants.requireAccount(context, collection, [...granted, ...read], formatPointer([set]));
}
checkStrongerAccount.applies = ({ context, edit, isCheck }: Exchange) =>
  edit === null && !isCheck && isWordOfCaller(context);
