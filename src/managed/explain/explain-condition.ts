import type { JsonObject, JsonValue } from '#json/index.ts';
import { compileFilter, formatQueryFilter, pointersOf, type QueryFilter } from '#resource/index.ts';
import { type Condition, parseCondition } from '../grant/conditional-grant.ts';

/** A part of a condition that must hold as all others do, and whether it does; null and a reason where that is not told. */
export interface Clause extends JsonObject {
  readonly text: string;
  readonly result: boolean | null;
}

/** A condition as it is told; null where there is none. */
export interface ToldCondition {
  readonly condition: JsonValue;
  readonly holds: boolean;
  readonly clauses: Clause[];
}

/**
 * @param seen the object as conditions see it; one that cannot be read holds for nobody, and has no clauses
 * @param shows whether whoever asks is shown a property of it: no clause tells them of another one
 */
export async function explainCondition(
  condition: JsonValue | undefined,
  field: string,
  seen: JsonObject,
  shows: (property: string) => Promise<boolean>,
): Promise<ToldCondition | null> {
  const parsed = readCondition(condition, field);
  if (parsed === null) return null;
  if (parsed === undefined) return { condition: condition ?? null, holds: false, clauses: [] };
  const clauses: Clause[] = [];
  for (const filter of clausesOf(parsed.filter)) {
    const text = formatQueryFilter(filter);
    const hidden: string[] = [];
    for (const [name = ''] of pointersOf(filter)) if (!(await shows(name))) hidden.push(name);
    clauses.push(
      hidden.length === 0
        ? { text, result: compileFilter(filter)(seen) }
        : { text, result: null, reason: `You are not shown ${[...new Set(hidden)].join(', ')}` },
    );
  }
  return { condition: condition ?? null, holds: parsed.matches(seen), clauses };
}

/** Undefined for one that cannot be read. */
function readCondition(condition: JsonValue | undefined, field: string): Condition | null | undefined {
  try {
    return parseCondition(condition, field);
  } catch {
    return undefined;
  }
}

function clausesOf(filter: QueryFilter): readonly QueryFilter[] {
  return filter.kind === 'and' && filter.filters.length > 0 ? filter.filters.flatMap(clausesOf) : [filter];
}
