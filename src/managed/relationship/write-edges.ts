import { constraintOf, type Db } from '#database/index.ts';
import { ConflictError } from '#errors/index.ts';
import { type Exchange, objectPath } from '../exchange.ts';
import { type Edge, edgeValue, formatRef, type Target, type WantedEdge } from './edge.ts';
import { newEdgeId } from './edge-id.ts';
import { deleteEdges, insertEdges, lockEnds, type NewEdge, updateEdge } from './edge-repository.ts';
import { type EdgeChange, type EdgePlan, isEmptyPlan, newTargets } from './plan-edges.ts';
import type { Relationship } from './relationship.ts';
import { alreadyAssigned, reverseIsSingle, takenError } from './validate-edges.ts';

/** Writes the edges of one property, removals first, and records what changed. */
export async function writeEdges(
  exchange: Exchange,
  relationship: Relationship,
  plan: EdgePlan,
): Promise<readonly Edge[]> {
  if (isEmptyPlan(plan)) return [];
  const db = await exchange.context.unitOfWork!.db();
  const owner = { collection: `managed/${exchange.type.name}`, id: exchange.id };
  const { property, reverseProperty } = relationship;
  if (property === reverseProperty) {
    await lockEnds(db, [owner, ...newTargets(plan).map(({ target }) => target)]);
  }
  const rowOf = (id: string, { target, properties }: WantedEdge): NewEdge => ({
    id,
    owner: { ...owner, property, isSingle: !relationship.isArray },
    other: {
      ...target,
      property: reverseProperty,
      isSingle: reverseProperty !== null && reverseIsSingle(exchange, target, reverseProperty),
    },
    properties,
  });
  await deleteEdges(
    db,
    plan.remove.map(({ id }) => id),
  );
  const created = plan.create.map((wanted) => ({ id: wanted.id ?? newEdgeId(), wanted }));
  try {
    await insertEdges(
      db,
      created.map(({ id, wanted }) => rowOf(id, wanted)),
    );
    for (const { edge, wanted } of plan.update) await update(db, edge, rowOf(edge.id, wanted));
  } catch (error) {
    throw translate(error, exchange, relationship, plan);
  }
  const common = { ownerId: exchange.id, property };
  const edges = created.map(({ id, wanted }) => ({ ...common, ...wanted, id, rev: 0 }));
  const updated = plan.update.map(({ edge, wanted }) => ({
    ...common,
    ...wanted,
    id: edge.id,
    rev: edge.rev + 1,
  }));
  const changes: EdgeChange[] = [
    ...plan.remove.map((before) => ({ before, after: null })),
    ...edges.map((after) => ({ before: null, after })),
    ...updated.map((after, index) => ({ before: plan.update[index]!.edge, after })),
  ];
  for (const change of changes) record(exchange, property, change);
  exchange.edgeChanges.push(...changes);
  return [...edges, ...updated];
}

function record(exchange: Exchange, property: string, { before, after }: EdgeChange): void {
  exchange.context.unitOfWork!.record({
    resource: `${objectPath(exchange)}/${property}/${(after ?? before)!.id}`,
    operation: before === null ? 'create' : after === null ? 'delete' : 'update',
    before: before === null ? null : edgeValue(before),
    after: after === null ? null : edgeValue(after),
  });
}

async function update(db: Db, edge: Edge, row: NewEdge): Promise<void> {
  if (!(await updateEdge(db, edge.rev, row))) throw raced(edge.property);
}

/** What a constraint refused: somebody else was faster, or the same is there already. */
function translate(error: unknown, exchange: Exchange, relationship: Relationship, plan: EdgePlan): unknown {
  const target: Target | undefined = newTargets(plan)[0]?.target;
  switch (constraintOf(error)) {
    case 'relationship_edge':
    case 'relationship_pkey':
      return target === undefined
        ? raced(relationship.property)
        : alreadyAssigned(exchange.id, formatRef(target));
    case 'relationship_first_single':
    case 'relationship_second_single':
      return target !== undefined && relationship.isArray
        ? takenError(relationship.reverseProperty!, target.id)
        : raced(relationship.property);
    default:
      return error;
  }
}

function raced(property: string): ConflictError {
  return new ConflictError(`'${property}' was changed by another request at the same time`, {
    id: 'RELATIONSHIP_RACE',
    hint: 'Try again',
  });
}
