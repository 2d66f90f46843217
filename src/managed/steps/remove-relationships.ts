import { collectionOf, type WriteExchange } from '../exchange.ts';
import { planConstraint } from '../grant/constraint-schedules.ts';
import { deleteEdgesOf } from '../relationship/edge-repository.ts';

/** With an object go the edges it knows of, and so they vanish at their other ends. */
export async function removeRelationships(exchange: WriteExchange): Promise<void> {
  const db = await exchange.context.unitOfWork.db();
  const removed = await deleteEdgesOf(db, { collection: collectionOf(exchange), id: exchange.id });
  for (const { id, property, properties, target } of removed) {
    exchange.edgeSets.push({ property, collection: target.collection, ids: [target.id] });
    await planConstraint(exchange, id, properties['temporalConstraints'], null, null);
  }
}
