import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { propertyIndexes } from '#repo/index.ts';
import {
  type Context,
  formatPath,
  JSON_SCHEMA_DRAFT,
  queryOfAll,
  type Request,
  readerOf,
} from '#resource/index.ts';
import { isTrue, textOf } from '../declared.ts';
import { describeType } from '../describe-type.ts';
import type { ManagedPlatform } from '../managed-platform.ts';
import type { ManagedProperty } from '../managed-property.ts';
import type { ManagedType } from '../managed-type.ts';
import { describedRules } from '../policy/policy-resource.ts';
import { targetsOf } from '../relationship/relationship.ts';
import { isHidden, showProperty } from './show-property.ts';
import { seesWhole, type TypeRights } from './type-rights.ts';

/** A type in a list of types: what it is called, and what the caller may ask. */
export function nameType({ name, schema }: ManagedType, { may, actions, own }: TypeRights): JsonObject {
  return {
    type: name,
    title: textOf(schema, 'title') ?? name,
    ...(typeof schema['icon'] === 'string' ? { icon: schema['icon'] } : {}),
    may: [...may],
    actions: [...actions],
    ...(own === undefined ? {} : { own: { path: own.path, may: [...own.may], actions: [...own.actions] } }),
  };
}

/** A type with the properties that the caller may see. */
export async function showType(
  platform: ManagedPlatform,
  context: Context,
  request: Request,
  type: ManagedType,
  rights: TypeRights,
): Promise<JsonObject> {
  const shown = shownProperties(type, rights);
  const [rules, indexes, listable] = await Promise.all([
    rulesByProperty(platform, context, request, type),
    readerOf(platform, context).then((db) => propertyIndexes(db, type.name)),
    listableTargets(platform, context, shown),
  ]);
  const indexOf = (name: string) => {
    const ready = indexes.get(`/${name}`);
    if (ready === undefined) return type.indexed.has(name) ? 'building' : undefined;
    return ready ? 'ready' : 'building';
  };
  const properties = shown.map((property) => [
    property.name,
    showProperty(property, {
      isRequired: type.required.includes(property.name),
      index: indexOf(property.name),
      rules: rules.get(property.name) ?? {},
      mayList: (collection) => listable.has(collection),
    }),
  ]);
  return {
    ...nameType(type, rights),
    order: orderOf(type, shown),
    takesOthers: !type.isClosed,
    properties: Object.fromEntries(properties),
  };
}

/** The same as a schema of draft 2020-12. */
export function typeAsJsonSchema(type: ManagedType, rights: TypeRights): JsonObject {
  const { schema = {} } = describeType(type);
  const { properties } = schema;
  const names = new Set(['_id', '_rev', ...shownProperties(type, rights).map(({ name }) => name)]);
  const required = type.required.filter((name) => names.has(name));
  return {
    $schema: JSON_SCHEMA_DRAFT,
    title: textOf(type.schema, 'title') ?? type.name,
    ...schema,
    properties: Object.fromEntries(
      Object.entries(isObject(properties) ? properties : {}).filter(([name]) => names.has(name)),
    ),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** A caller who sees only its own object is shown what it is meant to see there, and what it may change. */
function shownProperties(type: ManagedType, rights: TypeRights): readonly ManagedProperty[] {
  const all = [...type.compiled.values()];
  if (seesWhole(rights)) return all;
  return all.filter(({ definition }) => !isHidden(definition) || isTrue(definition['userEditable']));
}

/** The order of the properties as declared, then the others by their titles. */
function orderOf(type: ManagedType, shown: readonly ManagedProperty[]): string[] {
  const titleOf = ({ name, definition }: ManagedProperty) => textOf(definition, 'title') ?? name;
  const names = new Set(shown.map(({ name }) => name));
  const declared = Array.isArray(type.schema['order']) ? type.schema['order'].map(String) : [];
  const first = declared.filter((name) => names.has(name));
  const others = shown.filter(({ name }) => !first.includes(name));
  const sorted = others.sort((one, other) => (titleOf(one) < titleOf(other) ? -1 : 1));
  return [...first, ...sorted.map(({ name }) => name)];
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** What `/policy` says, under the property that it is about; of what lies deeper, with the place. */
async function rulesByProperty(
  platform: ManagedPlatform,
  context: Context,
  request: Request,
  type: ManagedType,
): Promise<Map<string, JsonObject>> {
  const found = new Map<string, JsonObject>();
  const path = ['managed', type.name, '*'];
  for (const { name, policies, conditionalPolicies, fallbackPolicies } of await describedRules(
    platform,
    context,
    request,
    path,
  )) {
    const [top = ''] = String(name).split(/[/[]/);
    const before = found.get(top) ?? {};
    const at = (list: JsonValue | undefined): JsonValue[] =>
      listOf(list).map((policy) =>
        top === name || !isObject(policy) ? policy : { ...policy, property: name ?? null },
      );
    const merged = (key: string, list: JsonValue | undefined) => {
      const all = [...listOf(before[key]), ...at(list)];
      return all.length === 0 ? {} : { [key]: all };
    };
    found.set(top, {
      ...merged('policies', policies),
      ...merged('conditionalPolicies', conditionalPolicies),
      ...merged('fallbackPolicies', fallbackPolicies),
    });
  }
  return found;
}

async function listableTargets(
  { resources }: ManagedPlatform,
  context: Context,
  shown: readonly ManagedProperty[],
): Promise<ReadonlySet<string>> {
  const targets = shown.flatMap(({ definition, relationship }) =>
    relationship === null ? [] : targetsOf(definition).map(({ path }) => path),
  );
  const paths = [...new Set(targets)];
  const answers = await Promise.all(paths.map((path) => resources.mayAsk(context, queryOfAll(path))));
  return new Set(paths.filter((_, index) => answers[index]));
}

/** What is asked about the targets of a type, whoever asks. */
export function requestsForTargets(type: ManagedType): readonly Request[] {
  return [...type.relationships.values()].flatMap(({ collections }) => collections.map(queryOfAll));
}

export function pathOfType({ name }: ManagedType): string {
  return formatPath(['managed', name]);
}
