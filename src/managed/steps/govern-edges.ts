import { equalJson } from '#json/index.ts';
import { formatPath } from '#resource/index.ts';
import { lockDerivations } from '../derive/derivation-repository.ts';
import { collectionOf, type Exchange, objectPath, type WriteExchange } from '../exchange.ts';
import { requireOwnCondition } from '../grant/condition-of-caller.ts';
import { isConditional, parseCondition } from '../grant/conditional-grant.ts';
import { grantTo, lockConditions, revokeFrom } from '../grant/grant-repository.ts';
import { parseTemporalConstraints } from '../grant/temporal-constraint.ts';
import type { Governed } from '../managed-types.ts';
import { reverseIsSingle } from '../relationship/validate-edges.ts';

/** Refuses conditions and time spans that could not be understood later, and conditions that tell more than their callers may ask. */
export async function checkGoverning(exchange: Exchange): Promise<void> {
  for (const governed of governedOf(exchange)) {
    const { conditionField, temporalField } = governed.relationship;
    if (conditionField !== null) {
      parseCondition(exchange.object[conditionField], conditionField);
      await requireOwnCondition(exchange, governed, conditionField);
    }
    if (temporalField !== null) parseTemporalConstraints(exchange.object[temporalField], 'role');
  }
}
checkGoverning.applies = (exchange: Exchange) => governedOf(exchange).length > 0;

/**
 * A changed condition is evaluated for all objects that it is about, as two statements. Where edges were written from
 * this side, those at their other ends are evaluated: a manual edge takes the place of a conditional one.
 */
export async function governEdges(exchange: WriteExchange): Promise<void> {
  for (const governed of governedOf(exchange)) {
    const field = governed.relationship.conditionField;
    if (field === null) continue;
    const { before, object } = exchange;
    const isChanged = !equalJson(object[field] ?? null, before?.[field] ?? null);
    if (isChanged) await evaluateForAll(exchange, governed, field);
    const touched = touchedBy(exchange, governed);
    if (touched.length > 0) await evaluateFor(exchange, governed, field, touched);
  }
}
governEdges.applies = checkGoverning.applies;

async function evaluateForAll(exchange: WriteExchange, governed: Governed, field: string): Promise<void> {
  const db = await exchange.context.unitOfWork.db();
  // In the order of those who write one object: its derivations come first.
  if (governed.owner.storedDerived.length > 0) await lockDerivations(db, governed.owner.name, 'alone');
  await lockConditions(db, exchange.type.name);
  await evaluate(exchange, governed, field);
}

/** The objects at the other ends of edges that were written through the reverse of a conditional relationship. */
function touchedBy({ edgeChanges }: Exchange, { owner, relationship }: Governed): readonly string[] {
  const ids = edgeChanges
    .flatMap(({ before, after }) => [before ?? [], after ?? []].flat())
    .filter(({ property }) => property === relationship.reverseProperty)
    .filter(({ target }) => target.collection === `managed/${owner.name}`)
    .map(({ target }) => target.id);
  return [...new Set(ids)].sort();
}

async function evaluateFor(
  exchange: WriteExchange,
  governed: Governed,
  field: string,
  ids: readonly string[],
): Promise<void> {
  const isMadeUp = exchange.edgeChanges.some(({ after }) => after !== null && isConditional(after));
  if (parseCondition(exchange.object[field], field) === null && !isMadeUp) return;
  await evaluate(exchange, governed, field, ids);
}

async function evaluate(
  exchange: WriteExchange,
  governed: Governed,
  field: string,
  among?: readonly string[],
): Promise<void> {
  const { context, id, object } = exchange;
  const { unitOfWork } = context;
  const db = await unitOfWork.db();
  const condition = parseCondition(object[field], field);
  const target = { governed, collection: collectionOf(exchange), id };
  const revoked = await revokeFrom(db, target, condition?.filter ?? null, among);
  const { relationship, owner } = governed;
  const reverse = relationship.reverseProperty;
  const isSingle = {
    owner: !relationship.isArray,
    target: reverse !== null && reverseIsSingle(exchange, target, reverse),
  };
  const granted = condition === null ? [] : await grantTo(db, target, condition.filter, isSingle, among);
  if (granted.length + revoked.length === 0) return;
  exchange.edgeSets.push({
    property: reverse,
    collection: `managed/${owner.name}`,
    ids: [...granted, ...revoked],
  });
  unitOfWork.record({
    resource: reverse === null ? objectPath(exchange) : `${objectPath(exchange)}/${reverse}`,
    operation: 'update',
    before: null,
    after: {
      conditionalGrants: {
        collection: `managed/${owner.name}`,
        granted: granted.length,
        revoked: revoked.length,
      },
    },
    ...(context.rehearsed === true
      ? { concerns: { gain: pathsOf(owner.name, granted), lose: pathsOf(owner.name, revoked) } }
      : {}),
  });
}

/** Whoever rehearses a condition wants to know whom it is about. */
function pathsOf(type: string, ids: readonly string[]): readonly string[] {
  return ids.toSorted().map((id) => formatPath(['managed', type, id]));
}

function governedOf({ platform, type }: Exchange): readonly Governed[] {
  return platform.types.governedBy(type.name);
}
