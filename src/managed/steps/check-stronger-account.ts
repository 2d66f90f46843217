import { equalJson, formatPointer, getMember } from '#json/index.ts';
import { isWordOfCaller } from '#resource/index.ts';
import { type Change, collectionOf, type Exchange, objectPath } from '../exchange.ts';
import { formatRef } from '../relationship/edge.ts';
import { listEdges } from '../relationship/edge-repository.ts';
import { loginRoles, namesIn } from './login-roles.ts';

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
  const granting = [...loginRoles(platform, type, collection)];
  const db = await context.unitOfWork.readerBesidePending();
  // What is not in effect now may be in effect when the password is used.
  const edges = await listEdges(db, collection, [id], granting);
  const read = roleGrants
    .propertiesAt(collection)
    .flatMap((property) => namesIn(getMember(before, property)));
  const roles = [...edges.map(({ target }) => formatRef(target)), ...read];
  await roleGrants.requireAccount(context, collection, roles, formatPointer([set]));
}
checkStrongerAccount.applies = ({ context, edit, isCheck }: Exchange) =>
  edit === null && !isCheck && isWordOfCaller(context);
