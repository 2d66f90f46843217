import { formatPointer, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { parseScriptReference, type ScriptReference } from '#script/index.ts';

/** Hooks of a type, in the order in which a life runs through them. */
export const HOOKS = [
  'onCreate',
  'onRead',
  'onUpdate',
  'onDelete',
  'onStore',
  'onRetrieve',
  'onValidate',
  'onSync',
  'postCreate',
  'postUpdate',
  'postDelete',
] as const;
export type HookName = (typeof HOOKS)[number];

/** A type of `managed.json`, compiled: what the lifecycle needs, looked up once. */
export interface ManagedType {
  readonly name: string;
  readonly properties: JsonObject;
  readonly hooks: Readonly<Partial<Record<HookName, ScriptReference>>>;
  /** Pointer of a property → its JSON type, where that is one plain type (and perhaps `null`). */
  readonly propertyTypes: ReadonlyMap<string, 'string' | 'number' | 'boolean' | 'array'>;
}

/** @throws BadRequestError when a hook is no script reference */
export function compileType(definition: JsonObject): ManagedType {
  const schema = isObject(definition['schema']) ? definition['schema'] : {};
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const hooks: Partial<Record<HookName, ScriptReference>> = {};
  for (const hook of HOOKS) {
    if (definition[hook] !== undefined) {
      hooks[hook] = parseScriptReference(definition[hook], `/${String(definition['name'])}/${hook}`);
    }
  }
  return { name: String(definition['name']), properties, hooks, propertyTypes: plainTypes(properties) };
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
