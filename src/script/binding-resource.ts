import { BadRequestError, didYouMean } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { type Context, type ReadRequest, type RouteHandler, resource, singleton } from '#resource/index.ts';
import { signatureOf } from './doubtful-names.ts';
import { MODULE_FUNCTIONS, SERVER_OBJECTS, type ServerFunction } from './javascript/index.ts';
import { type Binding, CONTEXT, type ScriptUse, type ScriptUses } from './script-use.ts';

export interface BindingResourceOptions {
  readonly uses: ScriptUses;
  /** `properties` of `script.json`: each is a variable. */
  readonly properties: () => JsonObject;
  /** What the caller may see of a managed type, as `/schema/managed/<type>` shows it. */
  readonly readType: (context: Context, type: string) => Promise<JsonObject>;
}

/** `/script/binding`: what a script finds, for editors: `?use=onUpdate&type=user`. Without a use, which there are. */
export function bindingResource({ uses, properties, readType }: BindingResourceOptions): RouteHandler {
  return singleton({
    description: { title: 'what scripts find' },
    async read(context, { parameters }) {
      const { use, type } = parameters;
      if (use === undefined) {
        if (type !== undefined) throw noUse(uses, 'A type is nothing without the use of a script', '/use');
        return resource(null, null, {
          uses: Object.entries(uses).map(([name, { title }]) => ({ use: name, title })),
        });
      }
      const found = findUse(uses, use);
      const members = type === undefined ? undefined : await membersOf(found, use, readType, context, type);
      const { title, bindings, takesOthers = false } = found;
      return resource(null, null, {
        use,
        title,
        ...(type === undefined ? {} : { type }),
        takesOthers,
        globals: [
          ...Object.entries({ ...bindings, context: CONTEXT }).map(([name, binding]) =>
            describeBinding(name, binding, members),
          ),
          ...Object.entries(properties()).map(([name, value]) => ({
            name,
            from: 'script.json',
            type: typeOf(value),
          })),
          ...Object.entries(SERVER_OBJECTS).map(([name, { says, functions }]) => ({
            name,
            from: 'server',
            type: 'object',
            says,
            functions: Object.entries(functions).map(([own, declared]) => describeFunction(own, declared)),
          })),
          ...Object.entries(MODULE_FUNCTIONS).map(([name, declared]) => ({
            from: 'server',
            type: 'function',
            languages: ['text/javascript'],
            ...describeFunction(name, declared),
          })),
        ],
      });
    },
    runsScripts: ({ parameters }: Pick<ReadRequest, 'parameters'>) => parameters['type'] !== undefined,
  });
}

/** @throws BadRequestError `SCRIPT_UNKNOWN_USE` */
export function findUse(uses: ScriptUses, name: string): ScriptUse {
  const use = Object.hasOwn(uses, name) ? uses[name] : undefined;
  if (use !== undefined) return use;
  throw noUse(uses, `Scripts have no use '${name}'`, '/use', name);
}

function noUse(uses: ScriptUses, message: string, field: string, value?: string): BadRequestError {
  const names = Object.keys(uses);
  return new BadRequestError(message, {
    id: 'SCRIPT_UNKNOWN_USE',
    field,
    hint: (value === undefined ? undefined : didYouMean(value, names)) ?? `There are ${names.join(', ')}`,
  });
}

async function membersOf(
  { bindings }: ScriptUse,
  use: string,
  readType: BindingResourceOptions['readType'],
  context: Context,
  type: string,
): Promise<JsonObject[]> {
  if (!Object.values(bindings).some(({ isManaged }) => isManaged === true)) {
    throw new BadRequestError(`The use '${use}' is not about objects of a type`, {
      id: 'SCRIPT_USE_WITHOUT_TYPE',
      field: '/type',
      hint: 'Leave the type out',
    });
  }
  const { order, properties } = await readType(context, type);
  const declared = isObject(properties) ? properties : {};
  return [
    { name: '_id', type: 'string' },
    { name: '_rev', type: 'string' },
    ...(Array.isArray(order) ? order : []).map((name) =>
      describeMember(String(name), declared[String(name)]),
    ),
  ];
}

const MEMBER_KEYS = ['type', 'title', 'description', 'required', 'isVirtual', 'private', 'stored'] as const;

function describeMember(name: string, shown: JsonValue | undefined): JsonObject {
  const property = isObject(shown) ? shown : {};
  const { relationship } = property;
  return {
    name,
    ...Object.fromEntries(
      MEMBER_KEYS.flatMap((key) => (property[key] === undefined ? [] : [[key, property[key]]])),
    ),
    ...(isObject(relationship)
      ? { type: relationship['many'] === true ? 'array' : 'object', relationship: true }
      : {}),
  };
}

function describeBinding(name: string, binding: Binding, members: JsonObject[] | undefined): JsonObject {
  const { type, says, keeps = false, isManaged = false } = binding;
  return {
    name,
    from: 'use',
    type,
    says,
    ...(keeps ? { keeps } : {}),
    ...(isManaged && members !== undefined ? { properties: members } : {}),
  };
}

function describeFunction(name: string, declared: ServerFunction): JsonObject {
  const { does, parameters, least } = declared;
  return {
    name,
    signature: signatureOf(name, declared),
    says: does,
    parameters: Object.entries(parameters).map(([parameter, type], index) => ({
      name: parameter,
      type: type.replace(/OrNull$/, ''),
      ...(type.endsWith('OrNull') ? { nullable: true } : {}),
      ...(index < least ? {} : { optional: true }),
    })),
  };
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
