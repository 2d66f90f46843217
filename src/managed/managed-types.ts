import type { JsonObject } from '#json/index.ts';
import { compileType, type ManagedType } from './managed-type.ts';

/** The types of the configuration in force; replaced as a whole when it changes. */
export class ManagedTypes {
  #types: ReadonlyMap<string, ManagedType> = new Map();

  /** @throws BadRequestError when a type cannot be compiled; the old ones stay */
  replace(definitions: readonly JsonObject[]): void {
    this.#types = new Map(
      definitions.map((definition) => [String(definition['name']), compileType(definition)]),
    );
  }

  current(): ReadonlyMap<string, ManagedType> {
    return this.#types;
  }
}
