import { type ConfigStore, managedConfig } from '#config/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';
import type { Mapping } from './mapping.ts';

/** Hooks of a type that decide what is seen of its objects. */
const READ_HOOKS = ['onRead', 'onRetrieve'] as const;

/**
 * Whether what a mapping makes of a linked pair follows from the two objects as they are stored, and so from their revisions: no script
 * has a say in it, and nothing that it reads or writes is calculated, or read off relationships, which change without their objects.
 */
export function isDecidedByRevisions(
  config: Pick<ConfigStore, 'get'>,
  mapping: Mapping,
  givesAssignments: boolean,
): boolean {
  return !givesAssignments && runsNoScript(mapping) && readsWhatIsStored(config, mapping);
}

function runsNoScript(mapping: Mapping): boolean {
  const { properties, policies, linkQualifiers, validSource, sourceCondition, defaultMapping, hooks } =
    mapping;
  const conditions = [sourceCondition, ...properties.map(({ condition }) => condition)];
  const confirmed = policies.get('CONFIRMED') ?? [];
  const isScripted =
    validSource !== undefined ||
    defaultMapping !== undefined ||
    hooks.onUpdate !== undefined ||
    'language' in linkQualifiers ||
    properties.some(({ transform }) => transform !== undefined) ||
    confirmed.some(({ action, postAction }) => typeof action !== 'string' || postAction !== undefined) ||
    [...conditions, ...confirmed.map(({ condition }) => condition)].some((one) => one?.kind === 'script');
  return !isScripted;
}

function readsWhatIsStored(
  config: Pick<ConfigStore, 'get'>,
  { source, target, properties, ...mapping }: Mapping,
): boolean {
  const conditions = [
    mapping.sourceCondition,
    ...properties.map(({ condition }) => condition),
    ...(mapping.policies.get('CONFIRMED') ?? []).map(({ condition }) => condition),
  ];
  const pointers = conditions.flatMap((one) => (one?.kind === 'filter' ? one.pointers : []));
  const named = (variables: readonly string[]) =>
    pointers.flatMap(([variable = '', name]) => (variables.includes(variable) ? [name] : []));
  const sources = [
    ...properties.flatMap((one) => (one.source === undefined ? [] : [one.source[0]])),
    ...named(['source', 'object', 'oldSource']),
  ];
  const targets = [...properties.map((one) => one.target[0]), ...named(['target', 'oldTarget'])];
  return isStored(config, source, sources) && isStored(config, target, targets);
}

/** @param names of properties; undefined: the whole object */
export function isStored(
  config: Pick<ConfigStore, 'get'>,
  collection: string,
  names: readonly (string | undefined)[],
): boolean {
  const type = config.get(managedConfig).objects.find(({ name }) => `managed/${name}` === collection);
  if (type === undefined || READ_HOOKS.some((hook) => (type[hook] ?? null) !== null)) return false;
  const declared: JsonObject = isObject(type.schema?.properties) ? type.schema.properties : {};
  return names.every((name) => name !== undefined && isPlain(declared[name]));
}

function isPlain(property: unknown): boolean {
  if (property === undefined) return true;
  const text = JSON.stringify(property);
  return !/"(?:isVirtual|onRetrieve|queryConfig|resourceCollection|reversePropertyName)":|"relationship"/.test(
    text,
  );
}
