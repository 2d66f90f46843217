import type { JsonObject, JsonValue } from '#json/index.ts';
import { compileFilter, formatQueryFilter, type QueryFilter } from '#resource/index.ts';
import { parseCondition } from '../grant/conditional-grant.ts';

/** A part of a condition that must hold as all others do, and whether it does. */
export interface Clause extends JsonObject {
  readonly text: string;
  readonly result: boolean;
}

/** A condition as it is told; null where there is none. */
export interface ToldCondition {
  readonly condition: JsonValue;
  readonly holds: boolean;
  readonly clauses: Clause[];
}

/** @param seen the object as conditions see it; one that cannot be read holds for nobody, and has no clauses */
export function explainCondition(
  condition: JsonValue | undefined,
  field: string,
  seen: JsonObject,
): ToldCondition | null {
  try {
    const parsed = parseCondition(condition, field);
    if (parsed === null) return null;
    const clauses = clausesOf(parsed.filter).map((filter) => ({
      text: formatQueryFilter(filter),
      result: compileFilter(filter)(seen),
    }));
    return { condition: condition ?? null, holds: parsed.matches(seen), clauses };
  } catch {
    return { condition: condition ?? null, holds: false, clauses: [] };
  }
}

function clausesOf(filter: QueryFilter): readonly QueryFilter[] {
  return filter.kind === 'and' && filter.filters.length > 0 ? filter.filters.flatMap(clausesOf) : [filter];
}
