import { cloneJson, type JsonValue } from '#json/index.ts';
import { collectionOf, type Exchange } from '../exchange.ts';
import { type Edge, edgeValue } from '../relationship/edge.ts';
import { listEdges } from '../relationship/edge-repository.ts';
import type { Relationship } from '../relationship/relationship.ts';
import { planFields } from '../retrieve/field-plan.ts';

/**
 * Looks up the relationships that the request is about: those it names, and those that are shown by default. A
 * relationship that is not looked up is left alone by the request.
 */
export async function attachRelationships(exchange: Exchange): Promise<void> {
  const { type } = exchange;
  const names = namedByRequest(exchange).filter((name) => type.relationships.has(name));
  await lookUp(exchange, new Set(names));
  for (const name of exchange.edges.keys()) {
    const value = relationshipValue(type.relationships.get(name)!, exchange.edges.get(name)!);
    exchange.before![name] = value;
    exchange.object[name] = cloneJson(value);
  }
}
attachRelationships.applies = ({ type, edit }: Exchange) => type.relationships.size > 0 && edit === null;

function namedByRequest({ type, request }: Exchange): string[] {
  const shown = [...planFields(type, request.method === 'patch' ? [] : request.fields).references.keys()];
  const byDefault = [...type.relationships.keys()].filter((name) => !type.hidden.has(name));
  switch (request.method) {
    case 'update':
      return [...shown, ...byDefault, ...Object.keys(request.content)];
    case 'patch':
      return [
        ...byDefault,
        ...request.operations.flatMap(({ field, from }) => [field[0] ?? '', from?.[0] ?? '']),
      ];
    default:
      return [...shown, ...byDefault];
  }
}

/** Fills in the edges of properties that have not been looked up yet, with one statement. */
export async function lookUp(exchange: Exchange, names: ReadonlySet<string>): Promise<void> {
  const missing = [...names].filter((name) => !exchange.edges.has(name));
  if (missing.length === 0) return;
  // Edges are never pending.
  const db = await exchange.context.unitOfWork!.readerBesidePending();
  const edges = await listEdges(db, collectionOf(exchange), [exchange.id], missing);
  for (const name of missing) {
    exchange.edges.set(
      name,
      edges.filter(({ property }) => property === name),
    );
  }
}

/** A relationship as it stands in an object. */
export function relationshipValue({ isArray }: Relationship, edges: readonly Edge[]): JsonValue {
  if (isArray) return edges.map(edgeValue);
  return edges[0] === undefined ? null : edgeValue(edges[0]);
}
