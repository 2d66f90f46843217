import type { JsonObject, JsonValue } from '#json/index.ts';
import { collectionOf, type Exchange, type WriteExchange } from '../exchange.ts';
import { type Edge, edgeValue } from './edge.ts';
import { listEdges } from './edge-repository.ts';
import type { Relationship } from './relationship.ts';

/** Fills in the edges of relationships that have not been looked up yet, with one statement. */
export async function lookUpAll(
  exchange: WriteExchange,
  relationships: Iterable<Relationship>,
): Promise<void> {
  const missing = [...new Set(relationships)].filter((one) => !exchange.edges.has(one));
  if (missing.length === 0) return;
  // Edges are never pending.
  const db = await exchange.context.unitOfWork.readerBesidePending();
  const names = missing.map(({ property }) => property);
  const edges = await listEdges(db, collectionOf(exchange), [exchange.id], names);
  for (const one of missing) {
    exchange.edges.set(
      one,
      edges.filter(({ property }) => property === one.property),
    );
  }
}

/** The edges of a relationship, whether they have been looked up before or not. */
export async function lookUp(exchange: WriteExchange, relationship: Relationship): Promise<readonly Edge[]> {
  await lookUpAll(exchange, [relationship]);
  return exchange.edges.get(relationship) ?? [];
}

/** A relationship as it stands in an object. */
export function relationshipValue({ isArray }: Relationship, edges: readonly Edge[]): JsonValue {
  if (isArray) return edges.map(edgeValue);
  return edges[0] === undefined ? null : edgeValue(edges[0]);
}

/** The stored content together with the relationships that the request was about. */
export function withRelationships({ object, edges }: Exchange): JsonObject {
  const shown = { ...object };
  for (const [relationship, own] of edges)
    shown[relationship.property] = relationshipValue(relationship, own);
  return shown;
}

/** A relationship that was looked up because it is shown, and that the object does not have, is cleared. */
export function clearAbsent({ edges }: Exchange, object: JsonObject): void {
  for (const { isArray, property } of edges.keys()) {
    if (!Object.hasOwn(object, property)) object[property] = isArray ? [] : null;
  }
}
