import { deriveFrom, deriveProperties } from '../derive/derive-properties.ts';
import type { Exchange, Planned } from '../exchange.ts';
import { isDerived, scriptedWith } from '../managed-property.ts';
import { withRelationships } from '../relationship/looked-up-edges.ts';
import { planFields, shows } from '../retrieve/field-plan.ts';
import { retrieveProperty } from '../retrieve/run-retrieve-hooks.ts';

/** A check compares what is calculated now with what is stored. */
export async function recalculate(exchange: Planned): Promise<void> {
  await computeVirtualProperties(exchange);
}
recalculate.applies = ({ isCheck, type }: Exchange) => isCheck && type.calculated.length > 0;

/**
 * Calculates those virtual properties that are stored with the object, so that a change of them can be seen: what is
 * shown by default or asked for. Scripts see the relationships that the request is about.
 */
export async function computeVirtualProperties(exchange: Planned): Promise<void> {
  const { context, id, platform, request, rev, type } = exchange;
  const wanted = calculatedOf(exchange);
  const derived = wanted.filter(isDerived);
  const objects = [{ id, data: exchange.object }];
  // One that is new and has no relationships has nothing to derive from.
  if (exchange.isLight && request.method === 'create') deriveFrom(platform, type, derived, objects);
  else if (exchange.paths !== null && context.unitOfWork.isLight)
    deriveFrom(platform, type, derived, objects, exchange.paths);
  else {
    const db = await context.unitOfWork.readerBesidePending();
    await deriveProperties(platform, db, type, derived, objects);
  }
  const own = wanted.filter((property) => !isDerived(property));
  for (const property of scriptedWith(own, 'onRetrieve')) {
    const working = { id, rev, data: withRelationships(exchange) };
    await retrieveProperty({ platform, context, type, request: exchange.cause }, property, working);
    for (const relationship of type.relationships.keys()) delete working.data[relationship];
    exchange.object = working.data;
  }
}
/** What is stored of what is calculated. */
export function calculatedOf({ isCheck, request, type }: Exchange) {
  const plan = planFields(type, isCheck ? [] : request.fields);
  return type.calculated.filter(({ name, isDefault }) => isDefault || shows(plan, name, isDefault));
}

computeVirtualProperties.applies = ({ type }: Exchange) => type.calculated.length > 0;
