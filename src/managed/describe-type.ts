import { firstOf, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import type { ProviderDescription, ResourceDescription } from '#resource/index.ts';
import type { ManagedType } from './managed-type.ts';
import type { Relationship } from './relationship/relationship.ts';

/** A type for the API description: its draft-03 properties as a schema of today. */
export function describeType(type: ManagedType): ProviderDescription {
  const properties: JsonObject = {
    _id: { type: 'string' },
    _rev: { type: 'string', readOnly: true },
  };
  for (const [name, { definition, isCalculated, isPrivate }] of type.compiled) {
    properties[name] = {
      ...schemaOf(definition, type.relationships.get(name)),
      ...(isCalculated ? { readOnly: true } : {}),
      ...(isPrivate ? { writeOnly: true } : {}),
    };
  }
  return {
    title: `managed ${type.name}`,
    schema: {
      type: 'object',
      properties,
      ...requiredOf(type.required),
      ...(type.isClosed ? { additionalProperties: false } : {}),
    },
  };
}

/** The relationships of a type: each is a resource below its object. */
export function describeRelationships(type: ManagedType, path: string): ResourceDescription[] {
  return [...type.relationships.values()].flatMap((relationship): ResourceDescription[] => {
    const common = {
      title: `${relationship.property} of managed ${type.name}`,
      schema: referenceTo(relationship),
      actions: [],
    };
    const at = `${path}/{id}/${relationship.property}`;
    if (!relationship.isArray) {
      return [{ ...common, path: at, kind: 'singleton', methods: ['read', 'update', 'patch'] }];
    }
    return [
      { ...common, path: at, kind: 'collection', methods: ['create', 'query'] },
      {
        ...common,
        path: `${at}/{relationshipId}`,
        kind: 'instance',
        methods: ['read', 'update', 'patch', 'delete'],
      },
    ];
  });
}

/** Types of the files that JSON Schema has, too; `any` and those of other servers say nothing. */
const TYPES: ReadonlySet<JsonValue> = new Set([
  'string',
  'number',
  'integer',
  'boolean',
  'object',
  'array',
  'null',
]);

/** What they say alike of a value. */
const BOUNDS = ['format', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum'] as const;

function schemaOf(definition: JsonObject, relationship?: Relationship): JsonObject {
  const texts = Object.fromEntries(
    (['title', 'description'] as const)
      .map((key) => [key, definition[key]] as const)
      .filter(([, text]) => typeof text === 'string'),
  );
  if (relationship !== undefined) {
    const reference = referenceTo(relationship);
    return relationship.isArray
      ? { type: 'array', items: reference, ...texts }
      : { ...reference, type: ['object', 'null'], ...texts };
  }
  const bounds = BOUNDS.map((key) => [key, definition[key]] as const).filter(([, bound]) =>
    ['string', 'number'].includes(typeof bound),
  );
  const { type: declared, items, properties, required, enum: values } = definition;
  const types = (Array.isArray(declared) ? declared : [declared]).filter(
    (type): type is string => type !== undefined && TYPES.has(type),
  );
  return {
    ...(types.length === 0 ? {} : { type: types.length === 1 ? firstOf(types) : types }),
    ...texts,
    ...Object.fromEntries(bounds),
    ...(Array.isArray(values) ? { enum: values } : {}),
    ...(isObject(items) ? { items: schemaOf(items) } : {}),
    ...(isObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, each]) => [name, schemaOf(isObject(each) ? each : {})]),
          ),
        }
      : {}),
    ...requiredOf(Array.isArray(required) ? required.map(String) : []),
  };
}

function referenceTo({ collections }: Relationship): JsonObject {
  const example = `${collections[0] ?? 'managed/user'}/…`;
  return {
    type: 'object',
    required: ['_ref'],
    properties: {
      _ref: { type: 'string', description: `The path of an object, such as ${example}` },
      _refProperties: { type: 'object', description: 'What the relationship itself holds' },
    },
  };
}

function requiredOf(names: readonly string[]): JsonObject {
  return names.length === 0 ? {} : { required: [...names] };
}
