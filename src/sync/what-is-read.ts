import { type ConfigStore, managedConfig, routerConfig, writtenJson } from '#config/index.ts';
import { isObject, type JsonValue } from '#json/index.ts';
import { followsFromBindings, isBuiltInFilter } from '#script/index.ts';
import type { Condition } from './condition.ts';
import { isStored } from './decided-by-revisions.ts';
import type { Mapping } from './mapping.ts';
import { USE } from './sync-uses.ts';

type Config = Pick<ConfigStore, 'get' | 'list'>;

const ASSIGNMENTS = 'effectiveAssignments';

/** What a mapping goes by when the target of an object that has changed is there and in line already. */
export interface WhatIsRead {
  /** Properties of the source. */
  readonly names: ReadonlySet<string>;
  /** Whether `effectiveAssignments` is one of them. */
  readonly givesAssignments: boolean;
}

/**
 * What a mapping reads of a managed source. Undefined where more decides than properties as they are stored, so that each change has to
 * be delivered: a script that is given the whole object, or is more than a calculation; what is calculated or related; what the target is
 * like, or others make of it.
 */
export function whatIsRead(
  config: Config,
  mapping: Mapping,
  others: readonly Mapping[],
  givesAssignments: boolean,
): WhatIsRead | undefined {
  const { source, target, properties, policies, linkQualifiers, hooks, sourceCondition } = mapping;
  const all = [...policies.values()].flat();
  const isOpen =
    !source.startsWith('managed/') ||
    !mapping.enableLinking ||
    'language' in linkQualifiers ||
    mapping.validSource !== undefined ||
    mapping.defaultMapping !== undefined ||
    mapping.postMapping !== undefined ||
    hooks.onUpdate !== undefined ||
    all.some(({ action, postAction }) => typeof action !== 'string' || postAction !== undefined) ||
    // What waits for another mapping, or is waited for, has to be told in its turn.
    mapping.delivery.after.length > 0 ||
    others.some(({ delivery }) => delivery.after.includes(mapping.name)) ||
    // The later of two that write the same has the last word each time.
    others.some((one) => one.name !== mapping.name && one.target === target) ||
    answersAreChanged(config);
  if (isOpen) return undefined;
  const named = [sourceCondition, ...[...properties, ...all].map(({ condition }) => condition)].map(namesIn);
  const pointed = properties.map((one) => (one.source === undefined ? [] : [one.source[0]]));
  const names = [...named, ...pointed].flatMap((some) => some ?? [undefined]);
  const isCalculated = properties.every(
    ({ transform }) =>
      transform === undefined || followsFromBindings(transform, Object.keys(USE.transform.bindings)),
  );
  const known = names.flatMap((name) =>
    name !== undefined && (name === '_id' || !name.startsWith('_')) ? [name] : [],
  );
  if (!isCalculated || known.length < names.length || !isStored(config, source, known)) return undefined;
  if (givesAssignments && !areStored(config, source)) return undefined;
  return { names: new Set([...known, ...(givesAssignments ? [ASSIGNMENTS] : [])]), givesAssignments };
}

/** Whether an object has assignments with scripts, which are told of each delivery and of the whole object. */
export function hasScriptedAssignments(object: JsonValue): boolean {
  const assignments = isObject(object) ? object[ASSIGNMENTS] : null;
  if (!Array.isArray(assignments)) return false;
  return assignments.some(
    (one) =>
      isObject(one) &&
      ['onAssignment', 'onUnassignment', 'unAssignment'].some((hook) => (one[hook] ?? null) !== null),
  );
}

/** First names of what a condition looks at of the source; undefined where it looks at more. */
function namesIn(condition: Condition | undefined): readonly (string | undefined)[] | undefined {
  if (condition === undefined) return [];
  if (condition.kind === 'script') return undefined;
  return condition.pointers.flatMap(([variable, name]) => {
    if (variable === 'linkQualifier') return [];
    return variable === 'source' || variable === 'object' ? [name] : [undefined];
  });
}

/** Scripts in front of all resources may show what is not stored. */
function answersAreChanged(config: Config): boolean {
  return config
    .get(routerConfig)
    .filters.some(({ onResponse }) => onResponse !== undefined && !isBuiltInFilter(writtenJson(onResponse)));
}

/** Whether the assignments in effect are stored with their object, and read off its roles alone. */
function areStored(config: Config, collection: string): boolean {
  const type = config.get(managedConfig).objects.find(({ name }) => `managed/${name}` === collection);
  const property = type?.schema?.properties?.[ASSIGNMENTS];
  return (
    isObject(property) &&
    property['returnByDefault'] === true &&
    isObject(property['queryConfig']) &&
    (property['onRetrieve'] ?? null) === null
  );
}
