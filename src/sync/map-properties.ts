import { cloneJson, formatPointer, getAt, type JsonObject, type JsonValue, setAt } from '#json/index.ts';
import type { MappedProperty } from './mapping.ts';
import { holds, runScript } from './mapping-scripts.ts';
import type { Scope } from './stage.ts';

/** What gave a target its values: by pointer, where that stands in the mapping, and of which property of the source it is. */
export type Provenance = Record<string, Rule>;

interface Rule {
  readonly rule: string;
  readonly source?: string;
  /** The place, among the deliveries that are remembered, of the one that has written it. */
  readonly delivery?: number;
}

/** Source and target, before and after. */
export interface Sides {
  readonly source: JsonObject;
  readonly oldSource: JsonObject | null;
  /** The target in work: changed in place. */
  readonly target: JsonObject;
  /** The target as it is stored; null for one that is made. */
  readonly oldTarget: JsonObject | null;
}

/** Gives the target what the properties of the mapping say. A value that the source does not have is taken away. */
export async function mapProperties(scope: Scope, sides: Sides): Promise<Provenance> {
  const provenance: Provenance = {};
  const { source, oldSource, target, oldTarget } = sides;
  for (const property of scope.mapping.properties) {
    const { place, condition } = property;
    const seen = { object: source, target, oldSource, oldTarget, linkQualifier: scope.qualifier };
    if (!(await holds(scope, condition, 'condition', seen, `${place} condition`))) continue;
    const value = await mappedValue(scope, property, source);
    const isMissing = value === null && (getAt(target, property.target.slice(0, -1)) ?? null) === null;
    if (!isMissing) setAt(target, property.target, value);
    provenance[formatPointer(property.target)] = {
      rule: place,
      ...(property.source === undefined ? {} : { source: formatPointer(property.source) }),
    };
  }
  return provenance;
}

/** What a mapped property comes to: that of the source, transformed, or the default. */
export async function mappedValue(
  scope: Scope,
  { place, source: pointer, transform, default: otherwise = null }: MappedProperty,
  source: JsonObject,
): Promise<JsonValue> {
  const given = pointer === undefined ? null : (getAt(source, pointer) ?? null);
  if (transform === undefined) return cloneJson(given ?? otherwise);
  const { value } = await runScript(scope, {
    use: 'transform',
    reference: transform,
    what: `${place} transform`,
    bindings: { source: given, linkQualifier: scope.qualifier },
  });
  return value ?? cloneJson(otherwise);
}
