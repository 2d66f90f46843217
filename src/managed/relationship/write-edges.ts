import { constraintOf, type Db, LostRace } from '#database/index.ts';
import { timeOrderedId } from '#time/index.ts';
import { type Exchange, objectPath } from '../exchange.ts';
import { type Edge, edgeValue, formatRef, type WantedEdge } from './edge.ts';
import { deleteEdges, insertEdges, type NewEdge, updateEdge } from './edge-repository.ts';
import { type EdgeChange, type EdgePlan, newTargets } from './plan-edges.ts';
import { alreadyAssigned, ownerOf, reverseIsSingle, takenError } from './validate-edges.ts';

/**
 * Writes the edges of properties, removals first, and records what changed. However many edges are made or removed, it
 * is one statement each.
 *
 * @returns the edges that were made or changed, by property
 */
export async function writeEdges(
  exchange: Exchange,
  plans: readonly EdgePlan[],
): Promise<ReadonlyMap<string, readonly Edge[]>> {
  const db = await exchange.context.unitOfWork!.db();
  await deleteEdges(
    db,
    plans.flatMap(({ remove }) => remove.map(({ id }) => id)),
  );
  const created = plans.map(({ property, create }) =>
    create.map((wanted) => ({ property, wanted, id: wanted.id ?? timeOrderedId() })),
  );
  try {
    await insertEdges(
      db,
      created.flat().map(({ property, id, wanted }) => rowOf(exchange, property, id, wanted)),
    );
    for (const { property, update } of plans) {
      for (const { edge, wanted } of update) {
        await updateOne(db, edge, rowOf(exchange, property, edge.id, wanted));
      }
    }
  } catch (error) {
    throw translate(error, exchange, plans);
  }
  return new Map(plans.map((plan, index) => [plan.property, recordAll(exchange, plan, created[index]!)]));
}

function rowOf(
  exchange: Exchange,
  property: string,
  id: string,
  { target, properties }: WantedEdge,
): NewEdge {
  const { isArray, reverseProperty } = exchange.type.relationships.get(property)!;
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
  exchange: Exchange,
  { property, remove, update }: EdgePlan,
  created: readonly { readonly id: string; readonly wanted: WantedEdge }[],
): readonly Edge[] {
  const common = { ownerId: exchange.id, property };
  const made = created.map(({ id, wanted }) => ({ ...common, ...wanted, id, rev: 0 }));
  const updated = update.map(({ edge, wanted }) => ({
    ...common,
    ...wanted,
    id: edge.id,
    rev: edge.rev + 1,
  }));
  const changes: EdgeChange[] = [
    ...remove.map((before) => ({ before, after: null })),
    ...made.map((after) => ({ before: null, after })),
    ...updated.map((after, index) => ({ before: update[index]!.edge, after })),
  ];
  for (const change of changes) record(exchange, property, change);
  exchange.edgeChanges.push(...changes);
  return [...made, ...updated];
}

function record(exchange: Exchange, property: string, { before, after }: EdgeChange): void {
  exchange.context.unitOfWork!.record({
    resource: `${objectPath(exchange)}/${property}/${(after ?? before)!.id}`,
    operation: before === null ? 'create' : after === null ? 'delete' : 'update',
    before: before === null ? null : edgeValue(before),
    after: after === null ? null : edgeValue(after),
  });
}

async function updateOne(db: Db, edge: Edge, row: NewEdge): Promise<void> {
  if (!(await updateEdge(db, edge.rev, row))) throw raced(edge.property);
}

/** What a constraint refused: somebody else was faster, or the same is there already. */
function translate(error: unknown, exchange: Exchange, plans: readonly EdgePlan[]): unknown {
  const constraint = constraintOf(error);
  if (constraint?.startsWith('relationship_') !== true) return error;
  const adding = plans.filter((plan) => newTargets(plan).length > 0);
  const { relationships } = exchange.type;
  switch (constraint) {
    case 'relationship_edge':
    case 'relationship_pkey': {
      const target = adding.flatMap(newTargets)[0]?.target;
      return target === undefined ? error : alreadyAssigned(exchange.id, formatRef(target));
    }
    case 'relationship_first_single':
    case 'relationship_second_single': {
      for (const plan of adding) {
        const { isArray, reverseProperty } = relationships.get(plan.property)!;
        if (!isArray || reverseProperty === null) continue;
        const taken = newTargets(plan).find(({ target }) =>
          reverseIsSingle(exchange, target, reverseProperty),
        );
        if (taken !== undefined) return takenError(reverseProperty, taken.target.id);
      }
      // The place at this end was taken from the other one.
      return raced(adding[0]?.property ?? '');
    }
    default:
      return error;
  }
}

function raced(property: string): LostRace {
  return new LostRace(`'${property}' was changed by another request at the same time`);
}
