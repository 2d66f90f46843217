import type { MappingConfig, Situation, SyncAction } from '#config/index.ts';
import { BadRequestError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue, type Pointer, parsePointer } from '#json/index.ts';
import { parseScriptReference, type ScriptReference } from '#script/index.ts';
import { type Condition, compileCondition } from './condition.ts';
import { type DeliveryOrder, deliveryOrderOf } from './delivery-order.ts';
import { type Thresholds, thresholdsOf } from './thresholds.ts';

/** Hooks that run beside an action. */
const HOOKS = ['onCreate', 'onUpdate', 'onDelete', 'onLink', 'onUnlink'] as const;
export type MappingHook = (typeof HOOKS)[number];

export interface MappedProperty {
  /** Where it stands in the mapping: `properties/3`. */
  readonly place: string;
  readonly target: Pointer;
  /** Undefined where only a transform or a default makes the value. */
  readonly source: Pointer | undefined;
  readonly transform: ScriptReference | undefined;
  readonly default: JsonValue | undefined;
  readonly condition: Condition | undefined;
}

export interface SyncPolicy {
  /** Where it stands in the mapping: `policies/3`. */
  readonly place: string;
  readonly action: SyncAction | ScriptReference;
  readonly condition: Condition | undefined;
  readonly postAction: ScriptReference | undefined;
}

/** How a target is found that is not linked. */
export interface Correlation {
  /** What it is for; undefined for all link qualifiers. */
  readonly qualifier: string | undefined;
  readonly answers: 'query' | 'objects';
  readonly reference: ScriptReference;
}

/** The name under which links are kept, and which end is which. */
export interface LinkType {
  readonly name: string;
  /** The mapping that has made it goes the other way round. */
  readonly isReversed: boolean;
  /** Whether the case of letters counts, at the first and at the second end. */
  readonly firstCaseSensitive: boolean;
  readonly secondCaseSensitive: boolean;
}

/** A mapping of the configuration, compiled: what a delivery needs, looked up once. */
export interface Mapping {
  readonly name: string;
  readonly source: string;
  readonly target: string;
  readonly linkType: LinkType;
  readonly enableSync: boolean;
  readonly delivery: DeliveryOrder;
  readonly enableLinking: boolean;
  readonly linkQualifiers: readonly string[] | ScriptReference;
  readonly validSource: ScriptReference | undefined;
  readonly validTarget: ScriptReference | undefined;
  readonly sourceCondition: Condition | undefined;
  readonly correlations: readonly Correlation[];
  readonly properties: readonly MappedProperty[];
  readonly policies: ReadonlyMap<Situation, readonly SyncPolicy[]>;
  readonly hooks: Readonly<Partial<Record<MappingHook, ScriptReference>>>;
  readonly defaultMapping: ScriptReference | undefined;
  readonly postMapping: ScriptReference | undefined;
  /** Around a reconciliation: before both sides are listed, and when all is done. */
  readonly onRecon: ScriptReference | undefined;
  readonly result: ScriptReference | undefined;
  /** How much a delivery of all, or a reconciliation, may do; undefined: whatever it is. */
  readonly thresholds: Thresholds | undefined;
  /** The mapping as it is written, for scripts. */
  readonly written: JsonObject;
}

/** Whether a mapping can reach the set at this end, with or without slashes around it: what the server itself keeps, and other systems. */
export function isReachable(end: 'source' | 'target', collection: string): boolean {
  const sets =
    end === 'source'
      ? /^(?:managed\/[^/]+|system\/[^/]+\/[^/]+)$/
      : /^(?:managed\/[^/]+|repo\/.+|system\/[^/]+\/[^/]+)$/;
  return sets.test(trimmed(collection));
}

/**
 * @param others of the same configuration: links may be borrowed from them
 * @throws BadRequestError with the field below the mapping
 */
export function compileMapping(
  config: MappingConfig,
  written: JsonObject,
  others: readonly MappingConfig[],
): Mapping {
  const script = (key: string) => {
    const reference = written[key] ?? null;
    return reference === null ? undefined : parseScriptReference(reference, `/${key}`);
  };
  const { name, source, target, enableSync, enableLinking, linkQualifiers } = config;
  const hooks = HOOKS.map((hook) => [hook, script(hook)]).filter(([, reference]) => reference !== undefined);
  return {
    name,
    source: trimmed(source),
    target: trimmed(target),
    linkType: linkTypeOf(config, others),
    enableSync,
    delivery: deliveryOrderOf(config, others),
    enableLinking,
    linkQualifiers: Array.isArray(linkQualifiers)
      ? [...new Set(linkQualifiers)]
      : (script('linkQualifiers') ?? ['default']),
    validSource: script('validSource'),
    validTarget: script('validTarget'),
    sourceCondition: compileCondition(written['sourceCondition'], '/sourceCondition'),
    correlations: correlationsOf(written),
    properties: listAt(written, 'properties').map(compileProperty),
    policies: policiesOf(config, listAt(written, 'policies')),
    hooks: Object.fromEntries(hooks),
    defaultMapping: script('defaultMapping'),
    postMapping: script('postMapping'),
    onRecon: script('onRecon'),
    result: script('result'),
    thresholds: thresholdsOf(config.thresholds),
    written,
  };
}

function compileProperty(written: JsonObject, index: number): MappedProperty {
  const place = `properties/${index}`;
  const target = parsePointer(String(written['target']));
  if (target.length === 0) {
    throw new BadRequestError('A mapped property needs the name of a property of the target', {
      id: 'SYNC_BAD_POINTER',
      field: `/${place}/target`,
    });
  }
  const { source, transform = null } = written;
  return {
    place,
    target,
    source: source === undefined ? undefined : parsePointer(String(source)),
    transform: transform === null ? undefined : parseScriptReference(transform, `/${place}/transform`),
    default: written['default'],
    condition: compileCondition(written['condition'], `/${place}/condition`),
  };
}

function policiesOf(
  { policies }: MappingConfig,
  written: readonly JsonObject[],
): ReadonlyMap<Situation, readonly SyncPolicy[]> {
  const compiled = policies.map(({ situation, action }, index) => {
    const place = `policies/${index}`;
    const { postAction = null, condition, action: script } = written[index] ?? {};
    const policy: SyncPolicy = {
      place,
      action: typeof action === 'string' ? action : parseScriptReference(script, `/${place}/action`),
      condition: compileCondition(condition, `/${place}/condition`),
      postAction: postAction === null ? undefined : parseScriptReference(postAction, `/${place}/postAction`),
    };
    return { situation, policy };
  });
  const bySituation = Map.groupBy(compiled, ({ situation }) => situation);
  return new Map([...bySituation].map(([situation, all]) => [situation, all.map(({ policy }) => policy)]));
}

/** @throws BadRequestError `SYNC_TWO_CORRELATIONS` */
function correlationsOf(written: JsonObject): readonly Correlation[] {
  const keys = (['correlationQuery', 'correlationScript'] as const).filter(
    (key) => (written[key] ?? null) !== null,
  );
  if (keys.length > 1) {
    throw new BadRequestError('A mapping has a correlationQuery or a correlationScript, and not both', {
      id: 'SYNC_TWO_CORRELATIONS',
      field: '/correlationScript',
    });
  }
  return keys.flatMap((key) => {
    const value = written[key] ?? null;
    const isList = Array.isArray(value);
    return (isList ? value : [value]).map((reference, index): Correlation => {
      const { linkQualifier, ...script } = isObject(reference) ? reference : {};
      return {
        qualifier: typeof linkQualifier === 'string' ? linkQualifier : undefined,
        answers: key === 'correlationQuery' ? 'query' : 'objects',
        reference: parseScriptReference(script, isList ? `/${key}/${index}` : `/${key}`),
      };
    });
  });
}

/** @throws BadRequestError `SYNC_BAD_LINKS` */
function linkTypeOf(config: MappingConfig, others: readonly MappingConfig[]): LinkType {
  const { name, links = name } = config;
  const owner = links === name ? config : others.find((other) => other.name === links);
  const [source, target] = [trimmed(config.source), trimmed(config.target)];
  const isSame = owner !== undefined && trimmed(owner.source) === source && trimmed(owner.target) === target;
  const isReversed =
    !isSame && owner !== undefined && trimmed(owner.source) === target && trimmed(owner.target) === source;
  const borrows = owner?.links !== undefined && owner.links !== owner.name;
  if (owner === undefined || borrows || !(isSame || isReversed)) {
    const why =
      owner === undefined
        ? 'there is no such mapping'
        : borrows
          ? `that has its links from '${owner.links}'`
          : `that is about ${owner.source} and ${owner.target}`;
    throw new BadRequestError(`'${name}' cannot have the links of '${links}': ${why}`, {
      id: 'SYNC_BAD_LINKS',
      field: '/links',
      hint: 'Name a mapping with links of its own between the same two sets, in either direction',
    });
  }
  return {
    name: links,
    isReversed,
    firstCaseSensitive: owner.sourceIdsCaseSensitive,
    secondCaseSensitive: owner.targetIdsCaseSensitive,
  };
}

function listAt(written: JsonObject, key: string): readonly JsonObject[] {
  const list = written[key];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function trimmed(collection: string): string {
  return collection.replace(/^\/+|\/+$/g, '');
}
