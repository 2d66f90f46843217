import { equalJson, formatPointer, getMember } from '#json/index.ts';
import { isWordOfCaller } from '#resource/index.ts';
import { collectionOf, type Exchange, type WriteExchange } from '../exchange.ts';
import { formatRef, type Target } from '../relationship/edge.ts';
import { lookUp } from '../relationship/looked-up-edges.ts';
import type { EdgePlan } from '../relationship/plan-edges.ts';
import { planWanted } from '../relationship/plan-wanted.ts';
import type { Relationship } from '../relationship/relationship.ts';
import { type LoginStep, loginSteps, namesIn, referencesBeyond } from './login-roles.ts';

/**
 * A caller grants, and takes, no role to log in with that opens more than its own do: from the account, from the role, at the endpoint of
 * either, or by a condition. It is asked before the hooks: what these grant is the word of the project.
 */
export async function checkGrantedRoles(exchange: WriteExchange): Promise<void> {
  const { platform, type, object, before, edit, editPlan } = exchange;
  const { roleGrants } = platform;
  const collection = collectionOf(exchange);
  const steps = loginSteps(platform);
  if (edit !== null) {
    if (editPlan !== null) await checkPlan(exchange, steps, edit.relationship, editPlan);
    return;
  }
  for (const relationship of type.relationships.values()) {
    const value = getMember(object, relationship.property);
    if (value === undefined || !isOfRoles(exchange, steps, relationship)) continue;
    if (exchange.request.method !== 'create') await lookUp(exchange, relationship);
    await checkPlan(exchange, steps, relationship, planWanted(exchange, relationship, value));
  }
  for (const property of roleGrants.propertiesAt(collection)) {
    if (type.relationships.has(property)) continue;
    const had = new Set(namesIn(getMember(before ?? {}, property)));
    const has = new Set(namesIn(getMember(object, property)));
    const changed = [...has.symmetricDifference(had)];
    if (changed.length === 0) continue;
    await roleGrants.require(exchange.context, collection, changed, formatPointer([property]));
  }
  for (const { owner, relationship } of platform.types.governedBy(type.name)) {
    const { conditionField, temporalField, property } = relationship;
    // Who is given it, and when those who have it do.
    const field = [conditionField, temporalField].find(
      (one) => one !== null && !equalJson(object[one] ?? null, before?.[one] ?? null),
    );
    if (field === undefined || field === null) continue;
    for (const step of steps) {
      if (isAt(step, `managed/${owner.name}`, property))
        await requireBeyond(exchange, step, [own(exchange)], field);
    }
  }
}
checkGrantedRoles.applies = ({ context, isCheck }: Exchange) => isWordOfCaller(context) && !isCheck;

function own(exchange: Exchange): Target {
  return { collection: collectionOf(exchange), id: exchange.id };
}

function isAt({ at, property }: LoginStep, collection: string, name: string): boolean {
  return property === name && (at === null || at === collection);
}

/** Whether an edge of it leads an account to roles, from one of its ends. */
function isOfRoles(exchange: Exchange, steps: readonly LoginStep[], relationship: Relationship): boolean {
  const { property, reverseProperty } = relationship;
  const collection = collectionOf(exchange);
  return steps.some((step) => isAt(step, collection, property) || step.property === reverseProperty);
}

async function checkPlan(
  exchange: WriteExchange,
  steps: readonly LoginStep[],
  relationship: Relationship,
  { create, update, remove }: Pick<EdgePlan, 'create' | 'update' | 'remove'>,
): Promise<void> {
  const changed = update.flatMap(({ edge, wanted }) => [edge, wanted]);
  const targets = [...create, ...changed, ...remove].map(({ target }) => target);
  if (targets.length === 0) return;
  const { property, reverseProperty: reverse } = relationship;
  const collection = collectionOf(exchange);
  const others = new Set(targets.map((target) => target.collection));
  for (const step of steps) {
    if (isAt(step, collection, property)) await requireBeyond(exchange, step, targets, property);
    if (reverse !== null && [...others].some((other) => isAt(step, other, reverse)))
      await requireBeyond(exchange, step, [own(exchange)], property);
  }
}

/** Requires the right to grant the roles to which a step leads that goes to these targets. */
async function requireBeyond(
  { platform, context }: WriteExchange,
  { accounts, rest }: LoginStep,
  targets: readonly Target[],
  property: string,
): Promise<void> {
  const roles =
    rest.length === 0
      ? targets.map(formatRef)
      : await referencesBeyond(await context.unitOfWork.readerBesidePending(), targets, rest);
  if (roles.length > 0)
    await platform.roleGrants.require(context, accounts, roles, formatPointer([property]));
}
