import { equalJson, getAt, type JsonObject } from '#json/index.ts';
import { typeNameOf } from '../collection.ts';
import type { ManagedType } from '../managed-type.ts';
import { type Derivation, waysOf } from './derivation.ts';

/** A stored derivation of `owner` whose path passes objects of some type, or ends at them. */
export interface Dependent {
  readonly owner: ManagedType;
  readonly derivation: Derivation;
  /** How many steps of the path lead from an owner to objects of the type. */
  readonly depth: number;
  /** The property by which objects of the type know the last of these steps. */
  readonly reverse: string | null;
  /** The property that says when an edge to them is in effect. */
  readonly temporalField: string | null;
}

/** The stored derivations that objects of each type take part in, by the name of the type. */
export function dependentsByType(
  types: ReadonlyMap<string, ManagedType>,
): ReadonlyMap<string, readonly Dependent[]> {
  const dependents = new Map<string, Dependent[]>();
  for (const owner of types.values()) {
    for (const derivation of owner.storedDerived.flatMap((property) => waysOf(property.derivation))) {
      let reached: ReadonlySet<ManagedType> = new Set([owner]);
      for (const [index, property] of derivation.path.entries()) {
        const next = new Set<ManagedType>();
        for (const from of reached) {
          const relationship = from.relationships.get(property);
          if (relationship === undefined) continue;
          const { reverseProperty: reverse, temporalField } = relationship;
          for (const collection of relationship.collections) {
            const type = types.get(typeNameOf(collection) ?? '');
            if (type === undefined) continue;
            next.add(type);
            const dependent = { owner, derivation, depth: index + 1, reverse, temporalField };
            dependents.set(type.name, [...(dependents.get(type.name) ?? []), dependent]);
          }
        }
        reached = next;
      }
    }
  }
  return dependents;
}

/** The property through which the path goes on from objects of the type; undefined where it ends. */
export function nextStep({ derivation, depth }: Dependent): string | undefined {
  return derivation.path[depth];
}

/** Whether the derivation looks at something that differs between two stored states of an object. */
export function seesChange(dependent: Dependent, before: JsonObject, after: JsonObject): boolean {
  const { derivation, temporalField } = dependent;
  const differs = (pointer: readonly string[]) =>
    !equalJson(getAt(before, pointer) ?? null, getAt(after, pointer) ?? null);
  if (temporalField !== null && differs([temporalField])) return true;
  if (nextStep(dependent) !== undefined || derivation.fields === null) return false;
  // A stored change is a new revision.
  return (
    derivation.fields === 'all' || derivation.fields.some((field) => field[0] === '_rev' || differs(field))
  );
}
