import { BadRequestError } from '#errors/index.ts';
import { formatPointer, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { isIndexed } from '#repo/index.ts';
import { MOST_OBJECT_BYTES, type RequestMethod } from '#resource/index.ts';
import { parseScriptReference, type ScriptReference } from '#script/index.ts';
import { asGranted, grantedByHooks } from './grant/granted-by-hooks.ts';
import { HOOK_NAMES, type HookName, hooksOn } from './hook.ts';
import {
  compileProperty,
  type DerivedProperty,
  isDerived,
  type ManagedProperty,
  type PropertyHook,
  type ScriptedProperty,
  scriptedWith,
} from './managed-property.ts';
import { compileRules, type PropertyRules, rulesRunScripts } from './policy/property-rules.ts';
import type { Relationship } from './relationship/relationship.ts';
import { calculationOrder } from './retrieve/calculation-order.ts';

/** A type of `managed.json`, compiled: what the lifecycle needs, looked up once. */
export interface ManagedType {
  readonly name: string;
  /** The schema as declared: title, order, … */
  readonly schema: JsonObject;
  readonly properties: JsonObject;
  readonly hooks: Readonly<Partial<Record<HookName, ScriptReference>>>;
  /** Scripted actions on an object, by name. */
  readonly actions: ReadonlyMap<string, ScriptReference>;
  /** Pointer of a property → its JSON type, where that is one plain type (and perhaps `null`). */
  readonly propertyTypes: ReadonlyMap<string, 'string' | 'number' | 'boolean' | 'array'>;
  /** Names of the properties that have an index, whatever is asked; see `wantedIndexes`. */
  readonly indexed: ReadonlySet<string>;
  readonly compiled: ReadonlyMap<string, ManagedProperty>;
  readonly relationships: ReadonlyMap<string, Relationship>;
  /** The properties that are calculated, in the order in which that is done. */
  readonly calculated: readonly ManagedProperty[];
  /** The properties that are read off relationships, and stored with the object. */
  readonly storedDerived: readonly DerivedProperty[];
  /** The properties that are stored encrypted or hashed. */
  readonly secrets: readonly ManagedProperty[];
  readonly privates: ReadonlySet<string>;
  /** The properties that are not shown unless asked for by name. */
  readonly hidden: ReadonlySet<string>;
  /** The properties with a script of that hook. */
  readonly scripted: Readonly<Record<PropertyHook, readonly ScriptedProperty[]>>;
  /** Relationships whose targets have conditions. */
  readonly conditional: readonly Relationship[];
  readonly rules: readonly PropertyRules[];
  /** Names of the properties that an object must have. */
  readonly required: readonly string[];
  /** It takes no property that it does not declare. */
  readonly isClosed: boolean;
  /** Bytes that an object of the type may have. */
  readonly maxSize: number;
  /** Whether a request of that kind may run a script of this type. */
  readonly runsScripts: Readonly<Record<RequestMethod, boolean>>;
}

/** @throws BadRequestError when something in the definition cannot be */
export function compileType(definition: JsonObject): ManagedType {
  const name = String(definition['name']);
  if (/[{}]/.test(name) || name.trim() === '') {
    throw new BadRequestError(`'${name}' cannot be the name of a managed object type`, {
      id: 'MANAGED_BAD_TYPE_NAME',
      hint: 'Braces mark variables of a path',
    });
  }
  const schema = isObject(definition['schema']) ? definition['schema'] : {};
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const hooks: Partial<Record<HookName, ScriptReference>> = {};
  for (const hook of HOOK_NAMES) {
    if ((definition[hook] ?? null) !== null) {
      hooks[hook] = parseScriptReference(definition[hook], `/${name}/${hook}`);
    }
  }
  const actions = Object.entries(isObject(definition['actions']) ? definition['actions'] : {}).map(
    ([action, script]) => [action, parseScriptReference(script, `/${name}/actions/${action}`)] as const,
  );
  const granted = grantedByHooks(definition);
  const compiled = new Map(
    Object.entries(properties).map(([property, declared]) => {
      const own = isObject(declared) ? declared : {};
      return [property, compileProperty(name, property, granted.has(property) ? asGranted(own) : own)];
    }),
  );
  const all = [...compiled.values()];
  const relationships = all.flatMap(({ relationship }) => relationship ?? []);
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const rules = compileRules(properties, required);
  return {
    name,
    schema,
    properties,
    hooks,
    actions: new Map(actions),
    propertyTypes: plainTypes(properties),
    indexed: new Set(Object.keys(properties).filter((name) => isIndexed(name, properties[name]))),
    compiled,
    relationships: new Map(relationships.map((relationship) => [relationship.property, relationship])),
    calculated: calculationOrder(all.filter(({ isCalculated }) => isCalculated)),
    storedDerived: all.filter(isDerived).filter(({ isDefault }) => isDefault),
    secrets: all.filter(({ encryption, hashAlgorithm }) => encryption !== null || hashAlgorithm !== null),
    privates: new Set(all.filter(({ isPrivate }) => isPrivate).map((property) => property.name)),
    hidden: new Set(all.filter(({ isDefault }) => !isDefault).map((property) => property.name)),
    scripted: {
      onValidate: scriptedWith(all, 'onValidate'),
      onStore: scriptedWith(all, 'onStore'),
      onRetrieve: calculationOrder(scriptedWith(all, 'onRetrieve')),
    },
    conditional: relationships.filter(({ conditionField }) => conditionField !== null),
    rules,
    required: [
      ...new Set([
        ...required,
        ...all.filter(({ definition }) => definition['required'] === true).map((property) => property.name),
      ]),
    ],
    isClosed: schema['additionalProperties'] === false,
    maxSize: Number(definition['maxSize'] ?? MOST_OBJECT_BYTES),
    runsScripts: scriptsOf(hooks, all, actions.length > 0, rulesRunScripts(rules)),
  };
}

function scriptsOf(
  hooks: ManagedType['hooks'],
  properties: readonly ManagedProperty[],
  hasActions: boolean,
  policies: boolean,
): ManagedType['runsScripts'] {
  const has = (request: Parameters<typeof hooksOn>[0]) =>
    hooksOn(request).some((name) => hooks[name] !== undefined);
  const some = (test: (property: ManagedProperty) => boolean) => properties.some(test);
  const stores =
    policies ||
    some(
      ({ scripts, isCalculated }) =>
        scripts.onValidate !== undefined ||
        scripts.onStore !== undefined ||
        (isCalculated && scripts.onRetrieve !== undefined),
    );
  const reads = has('read') || some(({ scripts }) => scripts.onRetrieve !== undefined);
  const update = stores || has('update');
  return {
    // An upsert may turn into either of the two.
    create: update || has('create'),
    update,
    patch: update,
    delete: has('delete'),
    read: reads,
    query: reads,
    action: update || reads || hasActions,
  };
}

function plainTypes(properties: JsonObject): ManagedType['propertyTypes'] {
  const types = new Map<string, 'string' | 'number' | 'boolean' | 'array'>();
  for (const [name, property] of Object.entries(properties)) {
    const type = isObject(property) ? plainType(property['type']) : undefined;
    if (type !== undefined) types.set(formatPointer([name]), type);
  }
  return types;
}

function plainType(declared: JsonValue | undefined) {
  const types = (Array.isArray(declared) ? declared : [declared]).filter((type) => type !== 'null');
  if (types.length !== 1) return undefined;
  switch (types[0]) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'array':
      return types[0];
    case 'integer':
      return 'number';
    default:
      return undefined;
  }
}
