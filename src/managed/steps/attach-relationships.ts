import { cloneJson } from '#json/index.ts';
import type { Change, Exchange } from '../exchange.ts';
import { lookUpAll, relationshipValue } from '../relationship/looked-up-edges.ts';
import type { Relationship } from '../relationship/relationship.ts';
import { planFields } from '../retrieve/field-plan.ts';

/**
 * Looks up the relationships that the request is about: those it names, and those that are shown by default. A
 * relationship that is not looked up is left alone by the request.
 */
export async function attachRelationships(exchange: Change): Promise<void> {
  await lookUpAll(exchange, relationshipsOf(exchange));
  for (const [relationship, edges] of exchange.edges) {
    const value = relationshipValue(relationship, edges);
    exchange.before[relationship.property] = value;
    exchange.object[relationship.property] = cloneJson(value);
  }
}
attachRelationships.applies = ({ type, edit }: Exchange) => type.relationships.size > 0 && edit === null;

/** What the request is about; an edit of one edge looks for that by itself. */
export function relationshipsOf(exchange: Exchange): readonly Relationship[] {
  const { edit, type } = exchange;
  if (edit !== null || type.relationships.size === 0) return [];
  return namedByRequest(exchange).flatMap((name) => type.relationships.get(name) ?? []);
}

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
