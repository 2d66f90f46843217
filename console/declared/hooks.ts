import type { JsonObject, PatchOperation } from '#client/index.ts';
import { type DeclaredType, type Managed, propertiesOf } from './managed.ts';

/** The hooks of a type, in the order in which the life of an object runs through them. */
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

/** What is done with an object. */
export const DONE = ['create', 'read', 'change', 'delete'] as const;

/** What each of them runs at, those of properties as well. */
const RUNS_AT: Readonly<Record<(typeof HOOKS)[number], readonly (typeof DONE)[number][]>> = {
  onCreate: ['create'],
  onRead: ['read'],
  onUpdate: ['change'],
  onDelete: ['delete'],
  onStore: ['create', 'change'],
  onRetrieve: ['read'],
  onValidate: ['create', 'change'],
  onSync: ['create', 'change', 'delete'],
  postCreate: ['create'],
  postUpdate: ['change'],
  postDelete: ['delete'],
};

export function runsAt({ name }: Hook, done: (typeof DONE)[number]): boolean {
  return RUNS_AT[name].includes(done);
}

const PROPERTY_HOOKS = ['onRetrieve', 'onStore', 'onValidate'] as const;

type Json = JsonObject[string];

export interface Hook {
  readonly name: (typeof HOOKS)[number];
  /** The property whose hook it is; undefined for a hook of the type. */
  readonly property: string | undefined;
  /** Undefined: there is none. */
  readonly script: Json;
}

/** All hooks that the type can have, and those that its properties have. */
export function hooksOf(declared: DeclaredType): readonly Hook[] {
  return [
    ...HOOKS.map((name) => ({ name, property: undefined, script: scriptIn(declared, name) })),
    ...propertiesOf(declared).flatMap(([property, value]) =>
      PROPERTY_HOOKS.filter((name) => scriptIn(value, name) !== undefined).map((name) => ({
        name,
        property,
        script: scriptIn(value, name),
      })),
    ),
  ];
}

/** A hook that is declared as null is none. */
function scriptIn(holder: object, name: string): Json {
  return Reflect.get(holder, name) ?? undefined;
}

/** As the server knows what runs: the names under which the workbench finds its variables. */
export function runAsOf({ name, property }: Hook): string {
  return property === undefined ? name : `property${name[0]?.toUpperCase()}${name.slice(1)}`;
}

function withScript<T extends object>(holder: T, { name, script }: Hook): T {
  const changed: T = { ...holder };
  if (script === undefined) Reflect.deleteProperty(changed, name);
  else Reflect.set(changed, name, script);
  return changed;
}

/** `managed.json` as it would be. */
export function withHook({ content }: Managed, type: string, hook: Hook): JsonObject {
  const { property } = hook;
  const changed = (declared: DeclaredType): DeclaredType => {
    if (property === undefined) return withScript(declared, hook);
    const { properties = {} } = declared.schema;
    const one = withScript(properties[property] ?? {}, hook);
    return { ...declared, schema: { ...declared.schema, properties: { ...properties, [property]: one } } };
  };
  const objects = content.objects.map((each) => (each.name === type ? changed(each) : each));
  return JSON.parse(JSON.stringify({ ...content, objects }));
}

export function operationsOf(
  { content }: Managed,
  type: string,
  { name, property, script }: Hook,
): readonly PatchOperation[] {
  const at = content.objects.findIndex((each) => each.name === type);
  const place = property === undefined ? '' : `/schema/properties/${property}`;
  const field = `/objects/${at}${place}/${name}`;
  return [script === undefined ? { operation: 'remove', field } : { operation: 'add', field, value: script }];
}

/** The file of its script; undefined where that stands in the declaration itself. */
export function fileOf({ script }: Hook): string | undefined {
  const file: unknown = Reflect.get(Object(script), 'file');
  return typeof file === 'string' ? file : undefined;
}

/** Where such a file is rehearsed, by the name that it has there. */
export function workbenchOf(file: string): string {
  const path = file.split('/');
  return `/scripts/file/${path.map(encodeURIComponent).join('/')}`;
}
