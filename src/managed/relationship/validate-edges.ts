import { type Db, LostRace } from '#database/index.ts';
import {
  BadRequestError,
  NotFoundError,
  PreconditionFailedError,
  type ResourceError,
} from '#errors/index.ts';
import { Connection, missingPrint, parsePath } from '#resource/index.ts';
import type { Exchange, WriteExchange } from '../exchange.ts';
import { edgeKey, formatRef, sameTarget, type Target, type WantedEdge } from './edge.ts';
import { listEdges, listEdgesBetween, lockEnds } from './edge-repository.ts';
import { type EdgePlan, newTargets } from './plan-edges.ts';
import { lockingExisting, storeOf } from './target-repository.ts';

/**
 * Checks the references that plans add: the targets exist and stay, the edge is not there already, and a
 * singleton at the other side is free. The constraints of the table hold the last two whatever happens at once.
 *
 * @param always also when the relationship does not ask for it
 */
export async function validateEdges(
  exchange: WriteExchange,
  plans: readonly EdgePlan[],
  always: boolean,
): Promise<void> {
  const adding = plans.filter((plan) => newTargets(plan).length > 0);
  if (adding.length === 0) return;
  const db = await exchange.context.unitOfWork.db();
  await lockSymmetric(exchange, db, adding);
  const asking = adding.filter(({ relationship }) => always || relationship.validate);
  await requireTargets(exchange, asking.flatMap(newTargets));
  for (const plan of adding) {
    await refuseAssigned(exchange, db, plan);
    await refuseTaken(exchange, db, plan);
  }
}

/**
 * Where both ends are the same property, no index can keep two writers apart: they look one after the other, also
 * whether the place at this end is still as the request has seen it.
 */
async function lockSymmetric(exchange: Exchange, db: Db, adding: readonly EdgePlan[]): Promise<void> {
  const symmetric = adding.filter(
    ({ relationship }) => relationship.reverseProperty === relationship.property,
  );
  if (symmetric.length === 0) return;
  const targets = symmetric.flatMap((plan) => newTargets(plan).map(({ target }) => target));
  const owner = ownerOf(exchange);
  await lockEnds(db, [owner, ...targets]);
  const single = symmetric.map(({ relationship }) => relationship).filter(({ isArray }) => !isArray);
  const names = single.map(({ property }) => property);
  const known = new Set(
    [...single.flatMap((one) => exchange.edges.get(one) ?? []), exchange.editPlan?.edge ?? []]
      .flat()
      .map(({ id }) => id),
  );
  for (const { id, property } of await listEdges(db, owner.collection, [owner.id], names)) {
    if (!known.has(id)) throw new LostRace(`'${property}' was changed by another request at the same time`);
  }
}

async function requireTargets(exchange: WriteExchange, added: readonly WantedEdge[]): Promise<void> {
  // An object may refer to itself before it is stored.
  const targets = added
    .map(({ target }) => target)
    .filter((target) => !sameTarget(target, ownerOf(exchange)));
  const stored = targets.filter(({ collection }) => storeOf(collection) !== undefined);
  for (const statement of lockingExisting(stored, missing)) await exchange.context.unitOfWork.hold(statement);
  await readExisting(
    exchange,
    targets.filter(({ collection }) => storeOf(collection) === undefined),
  );
}

function missing(target: Target): BadRequestError {
  return new BadRequestError(`The referenced relationship '${formatRef(target)}', does not exist`, {
    id: 'RELATIONSHIP_NO_TARGET',
    detail: { waitsFor: missingPrint(target.collection, target.id) },
  });
}

/** Objects that stand in no table of ours are asked for through the router. */
async function readExisting(exchange: Exchange, targets: readonly Target[]): Promise<void> {
  const connection = new Connection(exchange.platform.resources, exchange.context);
  for (const target of targets) {
    try {
      // To ask may be to run a script, and whoever may not do that has it done by no reference.
      if (exchange.context.client.isExternal) await admitRead(exchange, target);
      await connection.read(formatRef(target));
    } catch (error) {
      throw error instanceof NotFoundError ? missing(target) : error;
    }
  }
}

async function admitRead({ platform, context }: Exchange, target: Target): Promise<void> {
  const path = parsePath(formatRef(target));
  await platform.resources.admit(context, { method: 'read', path, fields: [], parameters: {} });
}

async function refuseAssigned(exchange: Exchange, db: Db, plan: EdgePlan): Promise<void> {
  // What is there has been left out of such a plan.
  if (exchange.edit?.several !== undefined) return;
  const { relationship } = plan;
  const removed = new Set([...plan.remove, ...plan.update.map(({ edge }) => edge)].map(({ id }) => id));
  const owner = ownerOf(exchange);
  const stored =
    exchange.edges.get(relationship) ??
    (await listEdgesBetween(
      db,
      { ...owner, property: relationship.property },
      plan.create.map(({ target }) => target),
    ));
  const kept = new Set(stored.filter(({ id }) => !removed.has(id)).map(edgeKey));
  const twin = kept.size === 0 ? undefined : plan.create.find((wanted) => kept.has(edgeKey(wanted)));
  if (twin !== undefined) throw alreadyAssigned(exchange.id, formatRef(twin.target));
}

async function refuseTaken(exchange: Exchange, db: Db, plan: EdgePlan): Promise<void> {
  const { reverseProperty } = plan.relationship;
  if (reverseProperty === null) return;
  const removed = new Set([...plan.remove, ...plan.update.map(({ edge }) => edge)].map(({ id }) => id));
  const single = newTargets(plan).filter(({ target }) => reverseIsSingle(exchange, target, reverseProperty));
  for (const [collection, edges] of Map.groupBy(single, ({ target }) => target.collection)) {
    const ids = edges.map(({ target }) => target.id);
    const taken = (await listEdges(db, collection, ids, [reverseProperty])).find(
      ({ id }) => !removed.has(id),
    );
    if (taken !== undefined) throw takenError(reverseProperty, taken.ownerId);
  }
}

/** Whether the other end holds at most one edge, as its type declares it. */
export function reverseIsSingle({ platform }: Exchange, { collection }: Target, reverse: string): boolean {
  return platform.types.at(collection)?.relationships.get(reverse)?.isArray === false;
}

/** This end of the edges of a request. */
export function ownerOf({ type, id }: Exchange): Target {
  return { collection: `managed/${type.name}`, id };
}

export function alreadyAssigned(id: string, ref: string): ResourceError {
  return new PreconditionFailedError(
    `Managed object '${id}' has already been assigned relationship '${ref}'.`,
    { id: 'RELATIONSHIP_DUPLICATE' },
  );
}

export function takenError(property: string, id: string): ResourceError {
  return new BadRequestError(
    `Field '${property}' of managed object '${id}' is not null, and thus not available for assignment.`,
    { id: 'RELATIONSHIP_TAKEN', hint: 'Clear it first' },
  );
}
