import { type ConfigStore, managedConfig, provisionerConfig } from '#config/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';
import { parsePath } from '#resource/index.ts';
import { followsFromBindings, type ScriptReference } from '#script/index.ts';
import type { Condition } from './condition.ts';
import type { Mapping } from './mapping.ts';
import { USE } from './sync-uses.ts';

/** Hooks of a type that decide what is seen of its objects. */
const READ_HOOKS = ['onRead', 'onRetrieve'] as const;

type Config = Pick<ConfigStore, 'get' | 'list'>;
type Use = keyof typeof USE;

/**
 * Whether the result of a mapping for a linked pair follows from the two objects as stored, and so from their revisions: no script
 * has a say in it that asks anybody else, and nothing that it reads or writes is calculated, or read off relationships, which change
 * without their objects.
 */
export function isDecidedByRevisions(config: Config, mapping: Mapping, givesAssignments: boolean): boolean {
  const { source, target, properties, policies, linkQualifiers, hooks, sourceCondition, ...others } = mapping;
  const confirmed = policies.get('CONFIRMED') ?? [];
  const isOpen =
    givesAssignments ||
    others.defaultMapping !== undefined ||
    'language' in linkQualifiers ||
    confirmed.some(({ action, postAction }) => typeof action !== 'string' || postAction !== undefined);
  if (isOpen) return false;
  const conditions = [
    { condition: sourceCondition, use: 'sourceCondition' },
    ...properties.map(({ condition }) => ({ condition, use: 'condition' as const })),
    ...confirmed.map(({ condition }) => ({ condition, use: 'policyCondition' as const })),
  ] as const;
  const whole = [
    ...scriptOf('validSource', others.validSource),
    ...scriptOf('onUpdate', hooks.onUpdate),
    ...conditions.flatMap(({ condition, use }) => scriptOf(use, referenceOf(condition))),
  ];
  const scripts = [...whole, ...properties.flatMap(({ transform }) => scriptOf('transform', transform))];
  if (
    !scripts.every(({ use, reference }) => followsFromBindings(reference, Object.keys(USE[use].bindings)))
  ) {
    return false;
  }
  const pointers = conditions.flatMap(({ condition }) =>
    condition?.kind === 'filter' ? condition.pointers : [],
  );
  const named = (variables: readonly string[]) =>
    pointers.flatMap(([variable = '', name]) => (variables.includes(variable) ? [name] : []));
  const all = whole.length > 0 ? [undefined] : [];
  const sources = properties.flatMap((one) => (one.source === undefined ? [] : [one.source[0]]));
  const targets = properties.map((one) => one.target[0]);
  return (
    isStored(config, source, [...sources, ...all, ...named(['source', 'object', 'oldSource'])]) &&
    isStored(config, target, [...targets, ...all, ...named(['target', 'oldTarget'])])
  );
}

function scriptOf(use: Use, reference: ScriptReference | undefined) {
  return reference === undefined ? [] : [{ use, reference }];
}

function referenceOf(condition: Condition | undefined): ScriptReference | undefined {
  return condition?.kind === 'script' ? condition.reference : undefined;
}

/** @param names of properties; undefined: the whole object */
export function isStored(
  config: Config,
  collection: string,
  names: readonly (string | undefined)[],
): boolean {
  const [set, name = '', kind = ''] = parsePath(collection);
  if (set === 'system') return isShown(config, name, kind, names);
  const type = config.get(managedConfig).objects.find((one) => `managed/${one.name}` === collection);
  if (type === undefined || READ_HOOKS.some((hook) => (type[hook] ?? null) !== null)) return false;
  const declared: JsonObject = isObject(type.schema?.properties) ? type.schema.properties : {};
  return names.every((one) =>
    one === undefined ? Object.values(declared).every(isPlain) : isPlain(declared[one]),
  );
}

function isPlain(property: unknown): boolean {
  if (property === undefined) return true;
  const text = JSON.stringify(property);
  return !/"(?:isVirtual|onRetrieve|queryConfig|resourceCollection|reversePropertyName)":|"relationship"/.test(
    text,
  );
}

/** The revision of an object of a system is made of what is shown by default, without what is encrypted anew each time. */
function isShown(
  config: Config,
  system: string,
  kind: string,
  names: readonly (string | undefined)[],
): boolean {
  const type = config.list(provisionerConfig).find(({ value }) => value.name === system)?.value.objectTypes[
    kind
  ];
  if (type === undefined) return false;
  const isCounted = (name: string) => {
    const { key, flags } = type.properties[name] ?? {};
    return (key ?? null) === null && flags?.includes('NOT_RETURNED_BY_DEFAULT') !== true;
  };
  return names.every((one) =>
    one === undefined ? Object.keys(type.properties).every(isCounted) : isCounted(one),
  );
}
