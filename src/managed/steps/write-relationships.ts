import { getMember, type JsonValue } from '#json/index.ts';
import type { Exchange, WriteExchange } from '../exchange.ts';
import { lockGoverned } from '../grant/lock-governed.ts';
import type { Target } from '../relationship/edge.ts';
import { lookUpAll } from '../relationship/looked-up-edges.ts';
import { type EdgePlan, isEmptyPlan } from '../relationship/plan-edges.ts';
import { planWanted } from '../relationship/plan-wanted.ts';
import type { Relationship } from '../relationship/relationship.ts';
import { validateEdges } from '../relationship/validate-edges.ts';
import { writeEdges } from '../relationship/write-edges.ts';

/** Takes the relationships out of the object: they are rows of their own, and not stored with it. */
export async function takeRelationships(exchange: WriteExchange): Promise<void> {
  const { type } = exchange;
  const wanted = new Map<Relationship, JsonValue>();
  for (const [name, relationship] of type.relationships) {
    const value = getMember(exchange.object, name);
    if (value === undefined) continue;
    wanted.set(relationship, value);
    delete exchange.object[name];
  }
  if (exchange.request.method === 'create') for (const one of wanted.keys()) exchange.edges.set(one, []);
  // A hook may have brought up relationships that the request was not about.
  else await lookUpAll(exchange, wanted.keys());
  exchange.wanted = wanted;
}
takeRelationships.applies = ({ type, edit }: Exchange) => type.relationships.size > 0 && edit === null;

/** Validates and writes the edges, before the object: what is calculated from them must see them. */
export async function writeRelationships(exchange: WriteExchange): Promise<void> {
  const { editPlan, edges, wanted } = exchange;
  if (editPlan !== null) {
    const isNew = editPlan.create.length > 0;
    await validateEdges(exchange, [editPlan], isNew);
    for (const { written } of await writeEdges(exchange, [editPlan])) {
      for (const edge of written) exchange.edited = { edge, isNew };
    }
    return;
  }
  for (const value of wanted.values()) {
    if (Array.isArray(value)) exchange.context.budget.spend('references', value.length);
  }
  const plans = [...wanted].map(([relationship, value]) => planWanted(exchange, relationship, value));
  const changing = plans.filter((plan) => !isEmptyPlan(plan));
  if (changing.length === 0) return;
  // A hook has brought them up; edges are written by who holds the lock of their object.
  if (exchange.isLight) exchange.context.unitOfWork.refuse();
  for (const plan of changing) await lockGoverned(exchange, plan.relationship.property, targetsOf(plan));
  await validateEdges(exchange, changing, false);
  for (const { relationship, remove, update, written } of await writeEdges(exchange, changing)) {
    const gone = new Set([...remove, ...update.map(({ edge }) => edge)]);
    const known = edges.get(relationship) ?? [];
    edges.set(relationship, [...known.filter((edge) => !gone.has(edge)), ...written]);
  }
}
writeRelationships.applies = ({ editPlan, wanted }: Exchange) => editPlan !== null || wanted.size > 0;

function targetsOf({ create, update, remove }: EdgePlan): Target[] {
  const ends = [...create, ...remove, ...update.flatMap(({ edge, wanted }) => [edge, wanted])];
  return ends.map(({ target }) => target);
}
