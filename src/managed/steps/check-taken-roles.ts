import { formatPointer } from '#json/index.ts';
import { isWordOfCaller } from '#resource/index.ts';
import { collectionOf, type Exchange, type WriteExchange } from '../exchange.ts';
import { formatRef } from '../relationship/edge.ts';
import { type LoginStep, loginSteps, referencesBeyond } from './login-roles.ts';

/**
 * With a role, or a group that brings some, all of their members lose what they log in with: so a caller deletes none that opens more
 * than its own do, whoever is in it. Accounts themselves are deleted by who may delete them, since people leave.
 */
export async function checkTakenRoles(exchange: WriteExchange): Promise<void> {
  const { platform, context, id } = exchange;
  const own = { collection: collectionOf(exchange), id };
  for (const step of loginSteps(platform)) {
    if (!leadsHere(exchange, step)) continue;
    const roles =
      step.rest.length === 0
        ? [formatRef(own)]
        : await referencesBeyond(await context.unitOfWork.readerBesidePending(), [own], step.rest);
    if (roles.length > 0)
      await platform.roleGrants.require(context, step.accounts, roles, formatPointer([step.property]));
  }
}
checkTakenRoles.applies = ({ context }: Exchange) => isWordOfCaller(context);

/** Whether it is declared to, from either side: references that lead elsewhere by accident are none of a group. */
function leadsHere(exchange: Exchange, { at, property }: LoginStep): boolean {
  const collection = collectionOf(exchange);
  const types = [...exchange.platform.types.current().values()];
  const isFromThere = types.some((type) => {
    const relationship = type.relationships.get(property);
    return (at === null || at === `managed/${type.name}`) && relationship?.collections.includes(collection);
  });
  return (
    isFromThere || [...exchange.type.relationships.values()].some((one) => one.reverseProperty === property)
  );
}
