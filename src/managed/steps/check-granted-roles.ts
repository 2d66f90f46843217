import { equalJson, formatPointer, getMember } from '#json/index.ts';
import { isWordOfCaller } from '#resource/index.ts';
import { collectionOf, type Exchange, objectPath, type WriteExchange } from '../exchange.ts';
import { formatRef } from '../relationship/edge.ts';
import { lookUp } from '../relationship/looked-up-edges.ts';
import type { EdgePlan } from '../relationship/plan-edges.ts';
import { planWanted } from '../relationship/plan-wanted.ts';
import type { Relationship } from '../relationship/relationship.ts';
import { loginRoles, namesIn } from './login-roles.ts';

/**
 * A caller grants, and takes, no role to log in with that opens more than its own do: from the account, from the role, at the endpoint of
 * either, or by a condition. It is asked before the hooks: what these grant is the word of the project.
 */
export async function checkGrantedRoles(exchange: WriteExchange): Promise<void> {
  const { platform, type, object, before, edit, editPlan } = exchange;
  const { roleGrants } = platform;
  const collection = collectionOf(exchange);
  const require = (accounts: string, roles: readonly string[], property: string) =>
    roleGrants.require(exchange.context, accounts, roles, formatPointer([property]));
  if (edit !== null) {
    if (editPlan !== null) await checkPlan(exchange, edit.relationship, editPlan);
    return;
  }
  for (const relationship of type.relationships.values()) {
    const value = getMember(object, relationship.property);
    if (value === undefined || !isOfRoles(exchange, relationship)) continue;
    if (exchange.request.method !== 'create') await lookUp(exchange, relationship);
    await checkPlan(exchange, relationship, planWanted(exchange, relationship, value));
  }
  for (const property of roleGrants.propertiesAt(collection)) {
    if (type.relationships.has(property)) continue;
    const had = new Set(namesIn(getMember(before ?? {}, property)));
    const has = new Set(namesIn(getMember(object, property)));
    const changed = [...has.symmetricDifference(had)];
    if (changed.length > 0) await require(collection, changed, property);
  }
  for (const { owner, relationship } of platform.types.governedBy(type.name)) {
    const { conditionField: field, property } = relationship;
    const accounts = `managed/${owner.name}`;
    if (field === null || !loginRoles(platform, owner, accounts).has(property)) continue;
    const isNew = !equalJson(object[field] ?? null, before?.[field] ?? null);
    if (isNew) await require(accounts, [objectPath(exchange)], field);
  }
}
checkGrantedRoles.applies = ({ context, isCheck }: Exchange) => isWordOfCaller(context) && !isCheck;

/** Whether an edge of it is a role of one of its ends. */
function isOfRoles(exchange: Exchange, relationship: Relationship): boolean {
  const { platform, type } = exchange;
  if (loginRoles(platform, type, collectionOf(exchange)).has(relationship.property)) return true;
  const { reverseProperty: reverse } = relationship;
  return (
    reverse !== null &&
    [...platform.types.current().values()].some((other) =>
      loginRoles(platform, other, `managed/${other.name}`).has(reverse),
    )
  );
}

async function checkPlan(
  exchange: WriteExchange,
  relationship: Relationship,
  { create, update, remove }: Pick<EdgePlan, 'create' | 'update' | 'remove'>,
): Promise<void> {
  const { context, platform, type } = exchange;
  const changed = update.flatMap(({ edge, wanted }) => [edge, wanted]);
  const targets = [...create, ...changed, ...remove].map(({ target }) => target);
  if (targets.length === 0) return;
  const field = formatPointer([relationship.property]);
  const own = collectionOf(exchange);
  if (loginRoles(platform, type, own).has(relationship.property))
    await platform.roleGrants.require(context, own, targets.map(formatRef), field);
  const { reverseProperty: reverse } = relationship;
  if (reverse === null) return;
  for (const accounts of new Set(targets.map(({ collection }) => collection))) {
    const other = platform.types.at(accounts);
    if (other !== undefined && loginRoles(platform, other, accounts).has(reverse))
      await platform.roleGrants.require(context, accounts, [objectPath(exchange)], field);
  }
}
