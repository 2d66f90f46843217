import { BadRequestError } from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';
import type { Exchange } from '../exchange.ts';
import { isConditional } from '../grant/conditional-grant.ts';
import { parseEdge, type WantedEdge } from './edge.ts';
import { type EdgePlan, planEdges } from './plan-edges.ts';
import type { Relationship } from './relationship.ts';

/** @throws BadRequestError for a value of the wrong shape */
export function planWanted(exchange: Exchange, relationship: Relationship, value: JsonValue): EdgePlan {
  const stored = exchange.edges.get(relationship) ?? [];
  // Whether a conditional grant stays is decided by its condition.
  const keeps = relationship.conditionField === null ? undefined : isConditional;
  return planEdges(relationship, stored, wantedEdges(relationship, value), keeps);
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
