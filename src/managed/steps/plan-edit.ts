import { PreconditionFailedError } from '#errors/index.ts';
import type { UpdateRequest } from '#resource/index.ts';
import { type Change, collectionOf } from '../exchange.ts';
import { lockGoverned } from '../grant/lock-governed.ts';
import { type Edge, formatRef, sameEdge } from '../relationship/edge.ts';
import type { EdgeEdit, EditPlan } from '../relationship/edge-edit.ts';
import { findEdge, listEdgesBetween, lockEdge } from '../relationship/edge-repository.ts';
import { isEmptyPlan } from '../relationship/plan-edges.ts';
import { alreadyAssigned } from '../relationship/validate-edges.ts';

/**
 * Decides what an edit means for the edge as it is now, with the object and the edge locked, so that edits of one edge
 * follow each other from whichever end they come. An edit that changes nothing ends here.
 */
export async function planEdit(exchange: EditOfEdge): Promise<void> {
  const { edit } = exchange;
  const { several } = exchange.edit;
  if (several !== undefined) {
    exchange.editPlan = await planSeveral(exchange, several);
    exchange.isUnchanged = isEmptyPlan(exchange.editPlan);
    return;
  }
  const edge = await findEdited(exchange);
  const plan = await planOf(exchange, edit, edge);
  exchange.editPlan = plan;
  exchange.edited = plan.edge === null ? null : { edge: plan.edge, isNew: false };
  exchange.isUnchanged = isEmptyPlan(plan);
}
planEdit.applies = (exchange: Change<UpdateRequest>): exchange is EditOfEdge => exchange.edit !== null;

type EditOfEdge = Change<UpdateRequest> & { readonly edit: EdgeEdit };

async function findEdited(exchange: EditOfEdge): Promise<Edge | undefined> {
  const { context, id } = exchange;
  const { edgeId, make, relationship } = exchange.edit;
  const { property } = relationship;
  const isNew = edgeId === null && relationship.isArray;
  const db = await context.unitOfWork.db();
  const owner = { collection: collectionOf(exchange), id, property };
  const seen = isNew ? undefined : await findEdge(db, owner, edgeId);
  const ends = [seen?.target ?? [], make?.target ?? []].flat();
  await lockGoverned(exchange, property, ends);
  if (seen === undefined) return undefined;
  await lockEdge(db, seen.id);
  return findEdge(db, owner, edgeId);
}

/** Plans with the object locked. If an edge is changed from its other end meanwhile, the row of the edge tells. */
async function planSeveral(
  exchange: EditOfEdge,
  { add, remove }: NonNullable<EdgeEdit['several']>,
): Promise<EditPlan> {
  const { context, edit, id } = exchange;
  const { relationship } = edit;
  const { property } = relationship;
  const targets = [...add.map(({ target }) => target), ...remove];
  context.budget.spend('references', add.length);
  await lockGoverned(exchange, property, targets);
  const db = await context.unitOfWork.db();
  const found = await listEdgesBetween(db, { collection: collectionOf(exchange), id, property }, targets);
  const there = new Set(found.map(({ target }) => formatRef(target)));
  const gone = new Set(remove.map(formatRef));
  return {
    relationship,
    edge: null,
    create: add.filter(({ target }) => !there.has(formatRef(target))),
    update: [],
    remove: found.filter(({ target }) => gone.has(formatRef(target))),
  };
}

async function planOf({ id }: EditOfEdge, edit: EdgeEdit, edge: Edge | undefined): Promise<EditPlan> {
  const { change, make, notFound, relationship, revision } = edit;
  const nothing = { relationship, create: [], update: [], remove: [] };
  if (edge === undefined) {
    if (make === undefined) throw notFound();
    return { ...nothing, edge: null, create: [make] };
  }
  if (change === undefined) throw alreadyAssigned(id, formatRef(edge.target));
  requireRevision(edge, revision);
  const wanted = await change(edge);
  if (wanted === null) return { ...nothing, edge, remove: [edge] };
  return { ...nothing, edge, update: sameEdge(edge, wanted) ? [] : [{ edge, wanted }] };
}

function requireRevision(edge: Edge, revision: string | null): void {
  if (revision === null || revision === String(edge.rev)) return;
  throw new PreconditionFailedError(`Revision '${revision}' of the relationship is not the current one`, {
    id: 'OBJECT_REVISION',
    hint: `Read it again: it is at revision '${edge.rev}' now`,
    detail: { revision: String(edge.rev) },
  });
}
