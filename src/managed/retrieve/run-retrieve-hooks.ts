import { isObject, type JsonObject, setMember } from '#json/index.ts';
import { type BindingsOf, requestView } from '#script/index.ts';
import { withIdentity, withoutIdentity } from '../exchange.ts';
import type { ScriptedProperty } from '../managed-property.ts';
import type { PROPERTY_USE } from '../script-uses.ts';
import type { Retrieval } from './retrieval.ts';

/** An object on its way to the answer; hooks replace its content. */
export interface Working {
  readonly id: string;
  readonly rev: number;
  data: JsonObject;
}

/** Runs, for each object, the type's `onRetrieve`, those of the properties that are needed, and `onRead`. */
export async function runRetrieveHooks(
  retrieval: Retrieval,
  needed: ReadonlySet<string>,
  objects: readonly Working[],
): Promise<void> {
  const { type } = retrieval;
  if (!type.runsScripts.read) return;
  const properties = type.scripted.onRetrieve.filter(({ name }) => needed.has(name));
  for (const object of objects) {
    await runObjectHook(retrieval, 'onRetrieve', object);
    for (const property of properties) await retrieveProperty(retrieval, property, object);
    await runObjectHook(retrieval, 'onRead', object);
  }
}

async function runObjectHook(retrieval: Retrieval, hook: 'onRetrieve' | 'onRead', object: Working) {
  const { platform, context, type, request } = retrieval;
  const reference = type.hooks[hook];
  if (reference === undefined) return;
  const { bindings } = await platform.scripts.evaluate(context, {
    reference,
    label: `${type.name} ${hook}`,
    bindings: {
      request: requestView(request),
      resourceName: `managed/${type.name}/${object.id}`,
      object: withIdentity(object.id, object.rev, object.data),
      oldObject: null,
      newObject: null,
    },
    returnBindings: ['object'],
  });
  const changed = bindings['object'];
  if (isObject(changed)) object.data = withoutIdentity(changed);
}

/** The script's result becomes the value; what it changed in `object` is kept as well. */
export async function retrieveProperty(
  { platform, context, type, request }: Pick<Retrieval, 'platform' | 'context' | 'type' | 'request'>,
  { name, reference }: Pick<ScriptedProperty, 'name' | 'reference'>,
  object: Omit<Working, 'rev'> & { readonly rev: number | null },
): Promise<void> {
  const { value, bindings } = await platform.scripts.evaluate(context, {
    reference,
    label: `${type.name} ${name} onRetrieve`,
    bindings: {
      request: requestView(request),
      resourceName: `managed/${type.name}/${object.id}`,
      object: withIdentity(object.id, object.rev, object.data),
      property: object.data[name] ?? null,
      propertyName: name,
    } satisfies BindingsOf<typeof PROPERTY_USE>,
    returnBindings: ['object'],
  });
  const changed = bindings['object'];
  if (isObject(changed)) object.data = withoutIdentity(changed);
  setMember(object.data, name, value);
}
