import { constraintOf, LostRace } from '#database/index.ts';
import { timeOrderedId } from '#time/index.ts';
import { type Exchange, objectPath, type WriteExchange } from '../exchange.ts';
import { type Edge, edgeValue, formatRef, type WantedEdge } from './edge.ts';
import { deletingEdges, insertingEdges, type NewEdge, updatingEdge } from './edge-repository.ts';
import { type EdgeChange, type EdgePlan, edgeOf, newTargets } from './plan-edges.ts';
import type { Relationship } from './relationship.ts';
import { alreadyAssigned, ownerOf, reverseIsSingle, takenError } from './validate-edges.ts';

/** A plan that has been carried out, with the edges that were made or changed. */
interface WrittenPlan extends EdgePlan {
  readonly written: readonly Edge[];
}

/** A plan whose new edges all have their ids. */
interface NumberedPlan extends EdgePlan {
  readonly create: readonly (WantedEdge & { readonly id: string })[];
}

/**
 * Has the edges of relationships written, removals first, and records what changed. However many edges are made or removed,
 * it is one statement each; that they could not be written is known when something else is asked.
 */
export async function writeEdges(
  exchange: WriteExchange,
  plans: readonly EdgePlan[],
): Promise<readonly WrittenPlan[]> {
  const { unitOfWork } = exchange.context;
  const meaning = (error: unknown) => translate(error, exchange, plans);
  const removed = plans.flatMap(({ remove }) => remove.map(({ id }) => id));
  if (removed.length > 0) await unitOfWork.hold({ statement: deletingEdges(removed) });
  const numbered = plans.map((plan) => ({
    ...plan,
    create: plan.create.map((wanted) => ({ ...wanted, id: wanted.id ?? timeOrderedId() })),
  }));
  const made = numbered.flatMap(({ relationship, create }) =>
    create.map((wanted) => rowOf(exchange, relationship, wanted.id, wanted)),
  );
  if (made.length > 0) await unitOfWork.hold({ statement: insertingEdges(made), meaning });
  for (const { relationship, update } of plans) {
    for (const { edge, wanted } of update) {
      await unitOfWork.hold({
        statement: updatingEdge(edge.rev, rowOf(exchange, relationship, edge.id, wanted)),
        meaning,
        check(rows) {
          if (rows.length === 0) throw raced(edge.property);
        },
      });
    }
  }
  return numbered.map((plan) => ({ ...plan, written: recordAll(exchange, plan) }));
}

function rowOf(
  exchange: Exchange,
  { isArray, property, reverseProperty }: Relationship,
  id: string,
  { target, properties }: WantedEdge,
): NewEdge {
  return {
    id,
    owner: { ...ownerOf(exchange), property, isSingle: !isArray },
    other: {
      ...target,
      property: reverseProperty,
      isSingle: reverseProperty !== null && reverseIsSingle(exchange, target, reverseProperty),
    },
    properties,
  };
}

function recordAll(
  exchange: WriteExchange,
  { relationship, create, remove, update }: NumberedPlan,
): readonly Edge[] {
  const common = { ownerId: exchange.id, property: relationship.property };
  const made = create.map((wanted) => ({ ...common, ...wanted, rev: 0 }));
  const updated = update.map(({ edge, wanted }) => ({
    before: edge,
    after: { ...common, ...wanted, id: edge.id, rev: edge.rev + 1 },
  }));
  const changes: EdgeChange[] = [
    ...remove.map((before) => ({ relationship, before, after: null })),
    ...made.map((after) => ({ relationship, before: null, after })),
    ...updated.map((change) => ({ relationship, ...change })),
  ];
  for (const change of changes) record(exchange, change);
  exchange.edgeChanges.push(...changes);
  return [...made, ...updated.map(({ after }) => after)];
}

function record(exchange: WriteExchange, change: EdgeChange): void {
  const { relationship, before, after } = change;
  exchange.context.unitOfWork.record({
    resource: `${objectPath(exchange)}/${relationship.property}/${edgeOf(change).id}`,
    operation: before === null ? 'create' : after === null ? 'delete' : 'update',
    before: before === null ? null : edgeValue(before),
    after: after === null ? null : edgeValue(after),
  });
}

/** What a constraint refused: somebody else was faster, or the same is there already. */
function translate(error: unknown, exchange: Exchange, plans: readonly EdgePlan[]): unknown {
  const constraint = constraintOf(error);
  if (constraint?.startsWith('relationship_') !== true) return error;
  const adding = plans.filter((plan) => newTargets(plan).length > 0);
  switch (constraint) {
    case 'relationship_edge':
    case 'relationship_pkey': {
      // It was not there a moment ago.
      if (exchange.edit?.several !== undefined) return raced(exchange.edit.relationship.property);
      const target = adding.flatMap(newTargets)[0]?.target;
      return target === undefined ? error : alreadyAssigned(exchange.id, formatRef(target));
    }
    case 'relationship_first_single':
    case 'relationship_second_single': {
      for (const plan of adding) {
        const { isArray, reverseProperty } = plan.relationship;
        if (!isArray || reverseProperty === null) continue;
        const taken = newTargets(plan).find(({ target }) =>
          reverseIsSingle(exchange, target, reverseProperty),
        );
        if (taken !== undefined) return takenError(reverseProperty, taken.target.id);
      }
      // The place at this end was taken from the other one.
      return raced(adding[0]?.relationship.property ?? '');
    }
    default:
      return error;
  }
}

function raced(property: string): LostRace {
  return new LostRace(`'${property}' was changed by another request at the same time`);
}
