import { createHash } from 'node:crypto';
import {
  type ConfigStore,
  type MappingConfig,
  managedConfig,
  mappingConfig,
  provisionerConfig,
  readMapping,
  routerConfig,
  syncConfig,
  writtenJson,
} from '#config/index.ts';
import { BadRequestError, wordsOf } from '#errors/index.ts';
import { canonicalText, isObject, isSecretByAnyWord, type JsonObject } from '#json/index.ts';
import type { Observe } from '#observability/index.ts';
import { isDecidedByRevisions, isStored } from './decided-by-revisions.ts';
import { inOrder } from './delivery-order.ts';
import { compileMapping, isReachable, type Mapping } from './mapping.ts';
import { type RetryPolicy, retryPolicyOf, USUAL_POLICY } from './retry-policy.ts';
import { type WhatIsRead, whatIsRead } from './what-is-read.ts';

const MOST_SUPPOSED = 20;

/** What a mapping reads of its source, and a print of all that says what becomes of it. */
export interface KnownReads extends WhatIsRead {
  readonly print: string;
}

/** All mappings of the configuration in force, in the order in which they are delivered. */
export class Mappings {
  readonly #config: ConfigStore;
  #observe: Observe = () => {};
  #all: readonly MappingConfig[] = [];
  #active: readonly Mapping[] = [];
  #leftOut: ReadonlyMap<string, string> = new Map();
  readonly #supposed = new Map<string, Mapping>();
  readonly #reads = new WeakMap<
    Mapping,
    { readonly by: readonly object[]; readonly what: KnownReads | undefined }
  >();

  constructor(config: ConfigStore) {
    this.#config = config;
    this.#read();
    for (const definition of [syncConfig, mappingConfig] as const) {
      config.watchOnly<unknown>(definition, () => this.#read());
    }
  }

  /** The names of all mappings, those that are passed over or left out included. */
  get names(): readonly string[] {
    return this.#all.map(({ name }) => name);
  }

  /** The mappings that work. */
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

  /**
   * One that is in no file, in place of the one of its name: to be looked at, and not to be followed.
   *
   * @throws BadRequestError with the field below it
   */
  supposed(written: JsonObject): Mapping {
    const text = JSON.stringify(written);
    const known = this.#supposed.get(text);
    if (known !== undefined) return known;
    const read = readMapping(written);
    if ('message' in read) {
      throw new BadRequestError(`The mapping is wrong: ${read.message}`, {
        id: 'SYNC_BAD_MAPPING',
        field: read.field,
      });
    }
    const { mapping } = read;
    const end = (['source', 'target'] as const).find((one) => !isReachable(one, mapping[one]));
    if (end !== undefined) {
      throw new BadRequestError(`'${mapping[end]}' is no ${end} that a mapping can have`, {
        id: 'SYNC_BAD_MAPPING',
        field: `/${end}`,
      });
    }
    const others = this.#all.filter(({ name }) => name !== mapping.name);
    const compiled = compileMapping(mapping, writtenJson(mapping), [...others, mapping]);
    if (this.#supposed.size >= MOST_SUPPOSED) this.#supposed.clear();
    this.#supposed.set(text, compiled);
    return compiled;
  }

  /** What a change of an object of the collection is told to, in this order. */
  from(collection: string): readonly Mapping[] {
    return inOrder(this.#active.filter(({ enableSync, source }) => enableSync && source === collection));
  }

  /** Names of those that come after a mapping. */
  behind(name: string): readonly string[] {
    return this.#active.filter(({ delivery }) => delivery.after.includes(name)).map((one) => one.name);
  }

  /** What becomes of changes of a collection that fail. */
  retryPolicyOf(collection: string): RetryPolicy {
    const [first, name] = collection.split('/');
    if (first !== 'system') return USUAL_POLICY;
    const system = this.#config.list(provisionerConfig).find(({ value }) => value.name === name);
    return system === undefined ? USUAL_POLICY : retryPolicyOf(system.value);
  }

  /** The mappings by which an object of the collection may have links. */
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

  /** Whether these properties of the objects of a collection are asked for as they are shown: nothing calculates them, or changes them on their way. */
  isStored(collection: string, names: readonly (string | undefined)[]): boolean {
    return !collection.startsWith('managed/') || isStored(this.#config, collection, names);
  }

  /** Whether all that is shown of the objects of a collection is as it is stored with them. */
  isPlain(collection: string): boolean {
    return isStored(this.#config, collection, [undefined]);
  }

  /**
   * All that decides about a linked pair besides the revisions of its two objects, as a text to be compared; undefined where more does:
   * scripts that ask others, or what is calculated.
   */
  decisionOf(mapping: Mapping): string | undefined {
    const givesAssignments = this.calculates(mapping.source, 'effectiveAssignments');
    if (!isDecidedByRevisions(this.#config, mapping, givesAssignments)) return undefined;
    const types = this.#config
      .get(managedConfig)
      .objects.filter(({ name }) => [mapping.source, mapping.target].includes(`managed/${name}`));
    return JSON.stringify([mapping.written, mapping.linkType, types, this.#systemsAt(mapping)]);
  }

  /** What a mapping reads of its source; undefined where each change has to be delivered. */
  readsOf(mapping: Mapping): KnownReads | undefined {
    const by = [this.#config.get(managedConfig), this.#config.get(routerConfig)];
    const known = this.#reads.get(mapping);
    if (known?.by.every((one, at) => one === by[at]) === true) return known.what;
    const givesAssignments = this.calculates(mapping.source, 'effectiveAssignments');
    const read = whatIsRead(this.#config, mapping, this.#active, givesAssignments);
    const decides = canonicalText([mapping.written, { ...mapping.linkType }]);
    const print = createHash('sha256').update(decides).digest('base64url');
    const what = read === undefined ? undefined : { ...read, print };
    this.#reads.set(mapping, { by, what });
    return what;
  }

  /**
   * In which state the files of the systems are that a mapping leads from or to, without what is secret in them: which objects there are
   * follows from it. Undefined where there is none.
   */
  systemsOf(mapping: Mapping): string | undefined {
    const found = this.#systemsAt(mapping);
    if (found.length === 0) return undefined;
    const shown = found.map(({ name, connectorRef, configurationProperties, objectTypes }) => {
      const open = Object.entries(configurationProperties).filter(([key]) => !isSecretByAnyWord(key));
      return writtenJson({
        name,
        connector: connectorRef.connectorName,
        properties: Object.fromEntries(open),
        objectTypes,
      });
    });
    return createHash('sha256').update(canonicalText(shown)).digest('base64url');
  }

  #systemsAt({ source, target }: Mapping) {
    return this.#config
      .list(provisionerConfig)
      .map(({ value }) => value)
      .filter(({ name }) => [source, target].some((set) => set.startsWith(`system/${name}/`)));
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
    this.#supposed.clear();
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
