import { equalJson } from '#json/index.ts';
import { collectionOf, type Exchange, objectPath } from '../exchange.ts';
import { parseCondition } from '../grant/conditional-grant.ts';
import { grantTo, lockConditions, revokeFrom } from '../grant/grant-repository.ts';
import { parseTemporalConstraints } from '../grant/temporal-constraint.ts';
import type { Governed } from '../managed-types.ts';
import { reverseIsSingle } from '../relationship/validate-edges.ts';

/** Refuses conditions and time spans that could not be understood later. */
export function checkGoverning(exchange: Exchange): void {
  for (const { relationship } of governedOf(exchange)) {
    const { conditionField, temporalField } = relationship;
    if (conditionField !== null) parseCondition(exchange.object[conditionField], conditionField);
    if (temporalField !== null) parseTemporalConstraints(exchange.object[temporalField], 'role');
  }
}
checkGoverning.applies = (exchange: Exchange) => governedOf(exchange).length > 0;

/** A changed condition is evaluated for all objects that it is about, as two statements. */
export async function governEdges(exchange: Exchange): Promise<void> {
  for (const governed of governedOf(exchange)) {
    const field = governed.relationship.conditionField;
    if (field === null || equalJson(exchange.object[field] ?? null, exchange.before?.[field] ?? null))
      continue;
    await evaluateForAll(exchange, governed, field);
  }
}
governEdges.applies = checkGoverning.applies;

async function evaluateForAll(exchange: Exchange, governed: Governed, field: string): Promise<void> {
  const { context, id, object, type } = exchange;
  const unitOfWork = context.unitOfWork!;
  const db = await unitOfWork.db();
  const condition = parseCondition(object[field], field);
  await lockConditions(db, type.name, 'alone');
  const target = { governed, collection: collectionOf(exchange), id };
  const revoked = await revokeFrom(db, target, condition?.filter ?? null);
  const { relationship, owner } = governed;
  const reverse = relationship.reverseProperty;
  const granted =
    condition === null
      ? 0
      : await grantTo(db, target, condition.filter, {
          owner: !relationship.isArray,
          target: reverse !== null && reverseIsSingle(exchange, target, reverse),
        });
  if (granted + revoked === 0) return;
  unitOfWork.record({
    resource: objectPath(exchange),
    operation: 'update',
    before: null,
    after: { conditionalGrants: { collection: `managed/${owner.name}`, granted, revoked } },
  });
}

function governedOf({ platform, type }: Exchange): readonly Governed[] {
  return platform.types.governedBy(type.name);
}
