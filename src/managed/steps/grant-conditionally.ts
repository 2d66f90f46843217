import { equalJson } from '#json/index.ts';
import type { Exchange, Planned, WriteExchange } from '../exchange.ts';
import {
  asStored,
  CONDITIONAL,
  conditionedBy,
  isConditional,
  parseCondition,
} from '../grant/conditional-grant.ts';
import { listConditions } from '../grant/grant-repository.ts';
import { assumeUnconditioned, noteConditions } from '../grant/unconditioned-repository.ts';
import { type Edge, formatRef, type Target, type WantedEdge } from '../relationship/edge.ts';
import { lookUp } from '../relationship/looked-up-edges.ts';
import type { Relationship } from '../relationship/relationship.ts';
import { writeEdges } from '../relationship/write-edges.ts';

/**
 * Gives the object the edges whose conditions it meets now, and takes away those it no longer meets. Where there is
 * a manual edge to the same target, there is no conditional one.
 */
export async function grantConditionally(exchange: WriteExchange): Promise<void> {
  for (const relationship of exchange.type.conditional) await evaluate(exchange, relationship);
}
grantConditionally.applies = (exchange: Planned) => {
  const { type, edit, object, before } = exchange;
  const { conditional } = type;
  if (conditional.length === 0) return false;
  // Conditions look at properties, and a manual edge displaces a conditional one.
  if (before === null || conditional.some((one) => exchange.wanted.has(one))) return true;
  if (edit !== null) return conditional.includes(edit.relationship);
  return !equalJson(withoutEdges(exchange, object), withoutEdges(exchange, before));
};

function withoutEdges({ type }: Exchange, object: Exchange['object']): Exchange['object'] {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !type.relationships.has(name)));
}

async function evaluate(exchange: WriteExchange, relationship: Relationship): Promise<void> {
  const { object, type, id, edges, platform } = exchange;
  const { unitOfWork } = exchange.context;
  const isAsked = exchange.wanted.has(relationship) || exchange.edit !== null;
  const places = conditionedBy(relationship);
  // What a client has made up has to go.
  const isMadeUp = isAsked && (exchange.edit !== null || (edges.get(relationship) ?? []).some(isConditional));
  if (!isMadeUp && (await assumeUnconditioned(platform.database, unitOfWork, places))) return;
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
  if (exchange.edit !== null) edges.delete(relationship);
  if (exchange.request.method === 'create' && !edges.has(relationship)) edges.set(relationship, []);
  const current = await lookUp(exchange, relationship);
  const [conditional, manual] = [true, false].map(
    (is) =>
      new Set(current.filter((edge) => isConditional(edge) === is).map(({ target }) => formatRef(target))),
  );
  const mayHave = met.filter((target) => manual?.has(formatRef(target)) !== true);
  const wanted = new Set(mayHave.map(formatRef));
  const remove: Edge[] = current.filter((edge) => isConditional(edge) && !wanted.has(formatRef(edge.target)));
  const create: WantedEdge[] = mayHave
    .filter((target) => conditional?.has(formatRef(target)) !== true)
    .map((target) => ({ id: null, target, properties: { ...CONDITIONAL } }));
  if (create.length + remove.length === 0) return;
  const plans = await writeEdges(exchange, [{ relationship, create, update: [], remove }]);
  const gone = new Set(remove.map(({ target }) => formatRef(target)));
  edges.set(relationship, [
    ...current.filter((edge) => !(isConditional(edge) && gone.has(formatRef(edge.target)))),
    ...plans.flatMap(({ written }) => written),
  ]);
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
