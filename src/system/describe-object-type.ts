import type { JsonObject } from '#json/index.ts';
import { bodyOf, type ResourceDescription } from '#resource/index.ts';
import type { SystemObjectType, SystemProperty, ValueType } from './object-type.ts';

const JSON_TYPES: Readonly<Record<ValueType, JsonObject>> = {
  string: { type: 'string' },
  number: { type: 'number' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  binary: { type: 'string', contentEncoding: 'base64' },
  any: {},
};

/** Objects of one kind, for the description of all that can be asked. */
export function describeObjectType(path: string, type: SystemObjectType): readonly ResourceDescription[] {
  const common = { title: `${type.name} of another system`, schema: schemaOf(type) };
  return [
    {
      path,
      kind: 'collection',
      ...common,
      methods: ['create', 'query', 'action'],
      actions: [
        { name: 'authenticate', ...AUTHENTICATE },
        { name: 'liveSync', does: FOLLOWS },
      ],
    },
    {
      path: `${path}/{id}`,
      kind: 'instance',
      ...common,
      methods: ['read', 'update', 'patch', 'delete'],
      actions: [],
    },
  ];
}

/** What is said of the action of that name. */
export const AUTHENTICATE = {
  does: 'Says whose `username` and `password` are given, in the body or as parameters: `{"_id": …}`',
  takes: bodyOf({ username: { type: 'string' }, password: { type: 'string' } }),
  answers: bodyOf({ _id: { type: 'string' } }, '_id'),
} as const;

export const FOLLOWS =
  'Has what has changed there brought to what is mapped to it; from now on, with `resetToken=now`, or as if it was never asked, with `none`';

function schemaOf({ properties }: SystemObjectType): JsonObject {
  const all = [...properties.values()];
  const required = all.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(all.map((property) => [property.name, schemaOfProperty(property)])),
    ...(required.length === 0 ? {} : { required }),
  };
}

function schemaOfProperty(property: SystemProperty): JsonObject {
  const { type, isMultiValued, isReadable, isCreatable, isUpdateable } = property;
  return {
    ...(isMultiValued ? { type: 'array', items: JSON_TYPES[type] } : JSON_TYPES[type]),
    ...(isReadable ? {} : { writeOnly: true }),
    ...(isCreatable || isUpdateable ? {} : { readOnly: true }),
  };
}
