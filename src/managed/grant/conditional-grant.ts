import { LRUCache } from 'lru-cache';
import { BadRequestError } from '#errors/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import { compileFilter, parseQueryFilter, type QueryFilter } from '#resource/index.ts';
import { typeNameOf } from '../collection.ts';
import type { ManagedType } from '../managed-type.ts';
import type { Edge } from '../relationship/edge.ts';
import type { Relationship } from '../relationship/relationship.ts';

/** `_refProperties` of an edge that the server keeps because a condition holds. */
export const CONDITIONAL: JsonObject = { _grantType: 'conditional' };

export function isConditional({ properties }: Pick<Edge, 'properties'>): boolean {
  return properties['_grantType'] === CONDITIONAL['_grantType'];
}

/** A condition as a property holds it: a query filter as text; null, absent and blank mean none. */
export interface Condition {
  readonly filter: QueryFilter;
  readonly matches: (object: JsonObject) => boolean;
}

/** Conditions that were compiled. They count by the length of their text: one may be as long as a request. */
const known = new LRUCache<string, Condition>({
  maxSize: 1_000_000,
  sizeCalculation: (_, text) => text.length,
});

/** @throws BadRequestError when it is neither empty nor a query filter */
export function parseCondition(value: JsonValue | undefined, field: string): Condition | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string') {
    throw new BadRequestError(`The ${field} ${JSON.stringify(value)} is not a query filter`, {
      id: 'CONDITION_NOT_A_FILTER',
      field: `/${field}`,
    });
  }
  const before = known.get(value);
  if (before !== undefined) return before;
  const filter = parseQueryFilter(value);
  const condition = { filter, matches: compileFilter(filter) };
  known.set(value, condition);
  return condition;
}

/** The object as a condition sees it in storage: of secrets only that they are there. */
export function asStored(type: ManagedType, object: JsonObject, id: string): JsonObject {
  const seen: JsonObject = { _id: id, ...object };
  for (const { name } of type.secrets) {
    if (typeof seen[name] === 'string' || typeof seen[name] === 'number') seen[name] = {};
  }
  return seen;
}

/** The types whose objects may say who has the relationship to them, and where. */
export function conditionedBy({ collections, conditionField }: Relationship) {
  return collections.flatMap((collection) => {
    const type = typeNameOf(collection);
    return type === null || conditionField === null ? [] : { collection, type, field: conditionField };
  });
}
