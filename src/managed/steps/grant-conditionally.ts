import { equalJson } from '#json/index.ts';
import { typeNameOf } from '../collection.ts';
import type { Exchange } from '../exchange.ts';
import { asStored, CONDITIONAL, isConditional, parseCondition } from '../grant/conditional-grant.ts';
import { listConditions } from '../grant/grant-repository.ts';
import { assumeUnconditioned, noteConditions } from '../grant/unconditioned-repository.ts';
import { type Edge, formatRef, sameTarget, type Target, type WantedEdge } from '../relationship/edge.ts';
import type { Relationship } from '../relationship/relationship.ts';
import { writeEdges } from '../relationship/write-edges.ts';
import { lookUp } from './attach-relationships.ts';

/**
 * Gives the object the edges whose conditions it meets now, and takes away those it no longer meets. Where there is
 * a manual edge to the same target, there is no conditional one.
 */
export async function grantConditionally(exchange: Exchange): Promise<void> {
  for (const relationship of exchange.type.conditional) await evaluate(exchange, relationship);
}
grantConditionally.applies = (exchange: Exchange) => {
  const { type, edit, request, object, before } = exchange;
  const { conditional } = type;
  if (conditional.length === 0) return false;
  // Conditions look at properties, and a manual edge displaces a conditional one.
  if (request.method === 'create' || conditional.some(({ property }) => exchange.wanted.has(property)))
    return true;
  if (edit !== null) return conditional.some(({ property }) => property === edit.property);
  return !equalJson(withoutEdges(exchange, object), withoutEdges(exchange, before!));
};

function withoutEdges({ type }: Exchange, object: Exchange['object']): Exchange['object'] {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !type.relationships.has(name)));
}

async function evaluate(exchange: Exchange, relationship: Relationship): Promise<void> {
  const { object, type, id, edges, platform } = exchange;
  const { property } = relationship;
  const unitOfWork = exchange.context.unitOfWork!;
  const isAsked = exchange.wanted.has(property) || exchange.edit !== null;
  const places = conditionedBy(relationship);
  if (!isAsked && (await assumeUnconditioned(platform.database, unitOfWork, places))) return;
  const db = await unitOfWork.db();
  const seen = asStored(type, object, id);
  const met: Target[] = [];
  let isConditioned = false;
  for (const place of places) {
    const conditions = await listConditions(db, place.type, place.field);
    noteConditions(platform.database, place, conditions.length > 0);
    for (const { id: targetId, condition } of conditions) {
      isConditioned = true;
      if (isMet(condition, place.field, seen)) met.push({ collection: place.collection, id: targetId });
    }
  }
  // Without conditions there are no conditional edges, apart from those that a client made up just now.
  if (!isConditioned && !isAsked) return;
  if (exchange.edit !== null) edges.delete(property);
  if (exchange.request.method === 'create' && !edges.has(property)) edges.set(property, []);
  await lookUp(exchange, new Set([property]));
  const current = edges.get(property)!;
  const manual = current.filter((edge) => !isConditional(edge));
  const mayHave = met.filter((target) => !manual.some((edge) => sameTarget(edge.target, target)));
  const has = (target: Target) =>
    current.some((edge) => isConditional(edge) && sameTarget(edge.target, target));
  const remove: Edge[] = current.filter(
    (edge) => isConditional(edge) && !mayHave.some((target) => sameTarget(edge.target, target)),
  );
  const create: WantedEdge[] = mayHave
    .filter((target) => !has(target))
    .map((target) => ({ id: null, target, properties: { ...CONDITIONAL } }));
  if (create.length + remove.length === 0) return;
  const written = await writeEdges(exchange, [{ property, create, update: [], remove }]);
  const gone = new Set(remove.map(({ target }) => formatRef(target)));
  edges.set(property, [
    ...current.filter((edge) => !(isConditional(edge) && gone.has(formatRef(edge.target)))),
    ...written.get(property)!,
  ]);
}

/** The types whose objects may say who has the relationship to them, and where. */
export function conditionedBy({ collections, conditionField }: Relationship) {
  return collections.flatMap((collection) => {
    const type = typeNameOf(collection);
    return type === null || conditionField === null ? [] : { collection, type, field: conditionField };
  });
}

/** A condition that cannot be read, from before it was checked, is met by nobody. */
function isMet(
  condition: Parameters<typeof parseCondition>[0],
  field: string,
  seen: Exchange['object'],
): boolean {
  try {
    return parseCondition(condition, field)?.matches(seen) ?? false;
  } catch {
    return false;
  }
}
