import { BadRequestError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { typeNameOf } from './collection.ts';
import { type Dependent, dependentsByType } from './derive/dependent.ts';
import { compileType, type ManagedType } from './managed-type.ts';
import type { Relationship } from './relationship/relationship.ts';

/** A relationship of another type whose edges this type's objects govern: by a condition, or by a time span. */
export interface Governed {
  readonly owner: ManagedType;
  readonly relationship: Relationship;
}

/** The types of the configuration in force; replaced as a whole when it changes. */
export class ManagedTypes {
  #types: ReadonlyMap<string, ManagedType> = new Map();
  #governed: ReadonlyMap<string, readonly Governed[]> = new Map();
  #dependents: ReadonlyMap<string, readonly Dependent[]> = new Map();
  #readsRunScripts = false;

  /** @throws BadRequestError when a type cannot be compiled; the old ones stay */
  replace(definitions: readonly JsonObject[]): void {
    const types = new Map(
      definitions.map((definition) => [String(definition['name']), compileType(definition)]),
    );
    this.#governed = governedBy(types);
    this.#dependents = dependentsByType(types);
    this.#readsRunScripts = [...types.values()].some(({ runsScripts }) => runsScripts.read);
    this.#types = types;
  }

  /** The type whose objects stand in a collection such as `managed/user`. */
  at(collection: string): ManagedType | undefined {
    return this.#types.get(typeNameOf(collection) ?? '');
  }

  current(): ReadonlyMap<string, ManagedType> {
    return this.#types;
  }

  /** The relationships to objects of that type that carry conditions or time spans. */
  governedBy(name: string): readonly Governed[] {
    return this.#governed.get(name) ?? [];
  }

  /** The stored derivations that look at objects of that type. */
  dependentsOn(name: string): readonly Dependent[] {
    return this.#dependents.get(name) ?? [];
  }

  /** Whether reading an object of some type runs a script: references may lead to any. */
  get someReadRunsScripts(): boolean {
    return this.#readsRunScripts;
  }
}

function governedBy(types: ReadonlyMap<string, ManagedType>): Map<string, readonly Governed[]> {
  const governed = new Map<string, Governed[]>();
  for (const owner of types.values()) {
    for (const relationship of owner.relationships.values()) {
      const { conditionField, temporalField, collections, property, reverseProperty } = relationship;
      if (conditionField === null && temporalField === null) continue;
      for (const collection of collections) {
        const name = typeNameOf(collection);
        if (name === null) continue;
        if (conditionField !== null && name === owner.name && property === reverseProperty) {
          throw new BadRequestError(
            `'${property}' of '${owner.name}' cannot be conditional: it is its own reverse`,
            { id: 'MANAGED_SYMMETRIC_CONDITION' },
          );
        }
        governed.set(name, [...(governed.get(name) ?? []), { owner, relationship }]);
      }
    }
  }
  return governed;
}
