import { equalJson, formatPointer, getMember, isObject, type JsonValue } from '#json/index.ts';
import { isWordOfCaller } from '#resource/index.ts';
import { waysOf } from '../derive/derivation.ts';
import { collectionOf, type Exchange, objectPath, type WriteExchange } from '../exchange.ts';
import type { ManagedType } from '../managed-type.ts';
import { formatRef } from '../relationship/edge.ts';
import { lookUp } from '../relationship/looked-up-edges.ts';
import type { EdgePlan } from '../relationship/plan-edges.ts';
import { planWanted } from '../relationship/plan-wanted.ts';
import type { Relationship } from '../relationship/relationship.ts';

/**
 * A caller grants no role to log in with that opens more than its own do: from the account, from the role, at the endpoint of either,
 * or by a condition. It is asked before the hooks: what these grant is the word of the project.
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
    const added = namesIn(getMember(object, property)).filter((name) => !had.has(name));
    if (added.length > 0) await require(collection, added, property);
  }
  for (const { owner, relationship } of platform.types.governedBy(type.name)) {
    const { conditionField: field, property } = relationship;
    const accounts = `managed/${owner.name}`;
    if (field === null || !grantsBy(exchange, owner, accounts).has(property)) continue;
    const isNew = !equalJson(object[field] ?? null, before?.[field] ?? null);
    if (isNew && (object[field] ?? null) !== null) await require(accounts, [objectPath(exchange)], field);
  }
}
checkGrantedRoles.applies = ({ context, isCheck }: Exchange) => isWordOfCaller(context) && !isCheck;

/** Whether an edge of it is a role of one of its ends. */
function isOfRoles(exchange: Exchange, relationship: Relationship): boolean {
  const { platform, type } = exchange;
  if (grantsBy(exchange, type, collectionOf(exchange)).has(relationship.property)) return true;
  const { reverseProperty: reverse } = relationship;
  return (
    reverse !== null &&
    [...platform.types.current().values()].some((other) =>
      grantsBy(exchange, other, `managed/${other.name}`).has(reverse),
    )
  );
}

async function checkPlan(
  exchange: WriteExchange,
  relationship: Relationship,
  { create, update }: Pick<EdgePlan, 'create' | 'update'>,
): Promise<void> {
  const { context, platform, type } = exchange;
  const targets = [...create, ...update.map(({ wanted }) => wanted)].map(({ target }) => target);
  if (targets.length === 0) return;
  const field = formatPointer([relationship.property]);
  const own = collectionOf(exchange);
  if (grantsBy(exchange, type, own).has(relationship.property))
    await platform.roleGrants.require(context, own, targets.map(formatRef), field);
  const { reverseProperty: reverse } = relationship;
  if (reverse === null) return;
  for (const accounts of new Set(targets.map(({ collection }) => collection))) {
    const other = platform.types.at(accounts);
    if (other !== undefined && grantsBy(exchange, other, accounts).has(reverse))
      await platform.roleGrants.require(context, accounts, [objectPath(exchange)], field);
  }
}

/** Relationships by which objects of a type have the roles that they log in with, also where these are read off them. */
function grantsBy({ platform }: Exchange, type: ManagedType, collection: string): ReadonlySet<string> {
  const properties = platform.roleGrants.propertiesAt(collection);
  return new Set(
    properties.flatMap((property) => {
      const derivation = type.compiled.get(property)?.derivation ?? null;
      return derivation === null
        ? [property]
        : waysOf(derivation).flatMap(({ path }) => (path.length === 1 ? path : []));
    }),
  );
}

/** As those are read who log in: a list, or a text with commas. */
function namesIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === 'string')
    return value
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
  if (!Array.isArray(value)) return [];
  return value.flatMap((role) => {
    const name = isObject(role) ? role['_ref'] : role;
    return typeof name === 'string' ? [name] : [];
  });
}
