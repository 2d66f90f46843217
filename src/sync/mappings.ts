import {
  type ConfigStore,
  type MappingConfig,
  managedConfig,
  mappingConfig,
  syncConfig,
  writtenJson,
} from '#config/index.ts';
import { wordsOf } from '#errors/index.ts';
import { isObject } from '#json/index.ts';
import type { Observe } from '#observability/index.ts';
import { isDecidedByRevisions } from './decided-by-revisions.ts';
import { compileMapping, isReachable, type Mapping } from './mapping.ts';

/** All mappings of the configuration in force, in the order in which they are delivered. */
export class Mappings {
  readonly #config: ConfigStore;
  #observe: Observe = () => {};
  #all: readonly MappingConfig[] = [];
  #active: readonly Mapping[] = [];
  #leftOut: ReadonlyMap<string, string> = new Map();

  constructor(config: ConfigStore) {
    this.#config = config;
    this.#read();
    for (const definition of [syncConfig, mappingConfig] as const) {
      config.watchOnly<unknown>(definition, () => this.#read());
    }
  }

  /** Those that are passed over or left out included. */
  get names(): readonly string[] {
    return this.#all.map(({ name }) => name);
  }

  /** Those between what the server itself keeps. */
  get active(): readonly Mapping[] {
    return this.#active;
  }

  /** Why mappings do not work, by their names. */
  get leftOut(): ReadonlyMap<string, string> {
    return this.#leftOut;
  }

  /** Tells what is left out, now and with each change. On a node, and not on each of its threads. */
  tellTo(observe: Observe): void {
    this.#observe = observe;
    this.#tell([...this.#leftOut]);
  }

  named(name: string): Mapping | undefined {
    return this.#active.find((mapping) => mapping.name === name);
  }

  /** What a change of an object of the collection is told to. */
  from(collection: string): readonly Mapping[] {
    return this.#active.filter(({ enableSync, source }) => enableSync && source === collection);
  }

  /** Those by which an object of the collection may have links. */
  about(collection: string): readonly Mapping[] {
    return this.#active.filter(({ source, target }) => source === collection || target === collection);
  }

  /** Whether the type of the objects of a collection calculates a property, so that nobody can send it. */
  calculates(collection: string, name: string): boolean {
    const type = this.#config.get(managedConfig).objects.find((one) => `managed/${one.name}` === collection);
    const property = type?.schema?.properties?.[name];
    if (property?.isVirtual !== true) return false;
    return (property.onRetrieve ?? null) !== null || isObject(property['queryConfig']);
  }

  /**
   * All that decides about a linked pair besides the revisions of its two objects, as a text to be compared; undefined where more does:
   * scripts, what is calculated, or objects that are not managed.
   */
  decisionOf(mapping: Mapping): string | undefined {
    const givesAssignments = this.calculates(mapping.source, 'effectiveAssignments');
    if (!isDecidedByRevisions(this.#config, mapping, givesAssignments)) return undefined;
    const types = this.#config
      .get(managedConfig)
      .objects.filter(({ name }) => [mapping.source, mapping.target].includes(`managed/${name}`));
    return JSON.stringify([mapping.written, mapping.linkType, types]);
  }

  /** Files change one by one, and each of them was right when it was taken: one that no longer fits the others takes none with it. */
  #read(): void {
    const files = this.#config.list(mappingConfig).map(({ value }) => value);
    const all = [...this.#config.get(syncConfig).mappings, ...files];
    const active: Mapping[] = [];
    const leftOut = new Map<string, string>();
    for (const mapping of all) {
      if (!isReachable('source', mapping.source) || !isReachable('target', mapping.target)) continue;
      try {
        active.push(compileMapping(mapping, writtenJson(mapping), all));
      } catch (error) {
        leftOut.set(mapping.name, wordsOf(error));
      }
    }
    const before = this.#leftOut;
    [this.#all, this.#active, this.#leftOut] = [all, active, leftOut];
    this.#tell([...leftOut].filter(([name, why]) => before.get(name) !== why));
  }

  #tell(leftOut: readonly (readonly [string, string])[]): void {
    for (const [name, why] of leftOut) {
      this.#observe({ kind: 'config.warned', message: `the mapping '${name}' is left out: ${why}` });
    }
  }
}
