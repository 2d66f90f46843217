import { BadRequestError } from '#errors/index.ts';
import { getMember, type JsonValue } from '#json/index.ts';
import type { Exchange } from '../exchange.ts';
import { isConditional } from '../grant/conditional-grant.ts';
import { parseEdge, type Target, type WantedEdge } from '../relationship/edge.ts';
import { type EdgePlan, isEmptyPlan, planEdges } from '../relationship/plan-edges.ts';
import type { Relationship } from '../relationship/relationship.ts';
import { validateEdges } from '../relationship/validate-edges.ts';
import { writeEdges } from '../relationship/write-edges.ts';
import { lookUp } from './attach-relationships.ts';
import { lockGoverned } from './govern-edges.ts';

/** Takes the relationships out of the object: they are rows of their own, and not stored with it. */
export async function takeRelationships(exchange: Exchange): Promise<void> {
  const { type } = exchange;
  const wanted = new Map<string, JsonValue>();
  for (const name of type.relationships.keys()) {
    const value = getMember(exchange.object, name);
    if (value === undefined) continue;
    wanted.set(name, value);
    delete exchange.object[name];
  }
  if (exchange.request.method === 'create') for (const name of wanted.keys()) exchange.edges.set(name, []);
  // A hook may have brought up relationships that the request was not about.
  else await lookUp(exchange, new Set(wanted.keys()));
  exchange.wanted = wanted;
}
takeRelationships.applies = ({ type, edit }: Exchange) => type.relationships.size > 0 && edit === null;

/** Validates and writes the edges, before the object: what is calculated from them must see them. */
export async function writeRelationships(exchange: Exchange): Promise<void> {
  const { editPlan, edges, type, wanted } = exchange;
  if (editPlan !== null) {
    await validateEdges(exchange, [editPlan], editPlan.create.length > 0);
    const [written] = (await writeEdges(exchange, [editPlan])).get(editPlan.property)!;
    if (written !== undefined) exchange.edited = written;
    return;
  }
  const plans = [...wanted].map(([name, value]) =>
    planWanted(exchange, type.relationships.get(name)!, value),
  );
  const changing = plans.filter((plan) => !isEmptyPlan(plan));
  if (changing.length === 0) return;
  // A hook has brought them up; edges are written by who holds the lock of their object.
  if (exchange.isLight) exchange.context.unitOfWork!.refuse();
  for (const plan of changing) await lockGoverned(exchange, plan.property, targetsOf(plan));
  await validateEdges(exchange, changing, false);
  const written = await writeEdges(exchange, changing);
  for (const { property, remove, update } of changing) {
    const gone = new Set([...remove, ...update.map(({ edge }) => edge)]);
    const left = edges.get(property)!.filter((edge) => !gone.has(edge));
    edges.set(property, [...left, ...written.get(property)!]);
  }
}
writeRelationships.applies = ({ editPlan, wanted }: Exchange) => editPlan !== null || wanted.size > 0;

function targetsOf({ create, update, remove }: EdgePlan): Target[] {
  const ends = [...create, ...remove, ...update.flatMap(({ edge, wanted }) => [edge, wanted])];
  return ends.map(({ target }) => target);
}

/** @throws BadRequestError for a value of the wrong shape */
export function planWanted(exchange: Exchange, relationship: Relationship, value: JsonValue): EdgePlan {
  const { property } = relationship;
  const stored = exchange.edges.get(property) ?? [];
  // Whether a conditional grant stays is decided by its condition.
  const keeps = relationship.conditionField === null ? undefined : isConditional;
  return planEdges(property, stored, wantedEdges(relationship, value), keeps);
}

function wantedEdges({ isArray, property }: Relationship, value: JsonValue): WantedEdge[] {
  const field = `/${property}`;
  if (value === null) return [];
  if (Array.isArray(value) !== isArray) {
    throw new BadRequestError(`${JSON.stringify(value)} is invalid as a relationship reference`, {
      id: 'RELATIONSHIP_BAD_REFERENCE',
      field,
      hint: isArray ? 'It takes a list of references' : 'It takes a single reference',
    });
  }
  return (Array.isArray(value) ? value : [value]).map((entry, index) =>
    parseEdge(entry, isArray ? `${field}/${index}` : field),
  );
}
