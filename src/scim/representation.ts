import { getAt, getMember, isObject, type JsonObject, type JsonValue, setMember } from '#json/index.ts';
import { parsePath, type Times } from '#resource/index.ts';
import type { Attribute, Element, Property, Reference, ResourceType } from './resource-type.ts';

/** A stored object with what is kept of it elsewhere. */
export interface Stored {
  readonly id: string;
  readonly revision: string;
  readonly content: JsonObject;
  /** The name by which the client that asks knows it. */
  readonly externalId?: string;
  readonly times?: Times;
}

/** What resources refer to each other by. */
export interface Addresses {
  readonly types: readonly ResourceType[];
  /** The URL of the service, such as `https://id.example.com/scim/v2`. */
  readonly base: string;
}

/** A stored object as clients see it, with all its attributes. */
export function represent(type: ResourceType, stored: Stored, addresses: Addresses): JsonObject {
  const { id, revision, externalId, times } = stored;
  const shown: JsonObject = { schemas: [type.schema], id };
  const used = new Set<string>();
  for (const attribute of type.attributes) {
    const value =
      attribute.binding.kind === 'externalId'
        ? externalId
        : attributeValue(attribute, stored.content, addresses);
    if (value === undefined || value === null) continue;
    const isCore = attribute.schema === type.schema;
    if (!isCore) used.add(attribute.schema);
    const holder = isCore ? shown : holderIn(shown, attribute.schema);
    setMember(holder, attribute.name, value);
  }
  shown['schemas'] = [
    type.schema,
    ...type.extensions.map(({ schema }) => schema).filter((one) => used.has(one)),
  ];
  shown['meta'] = {
    resourceType: type.name,
    ...(times === undefined ? {} : { created: times.created, lastModified: times.updated }),
    location: `${addresses.base}/${type.endpoint}/${encodeURIComponent(id)}`,
    version: `W/"${revision}"`,
  };
  return shown;
}

function attributeValue(
  attribute: Attribute,
  content: JsonObject,
  addresses: Addresses,
): JsonValue | undefined {
  const { binding } = attribute;
  switch (binding.kind) {
    case 'property':
      return shownValue(binding, content);
    case 'reference':
      return shownReference(attribute, binding, content, addresses);
    case 'parts': {
      const parts = attribute.subAttributes.flatMap(({ name, property, returned }) => {
        const value = property === undefined || returned === 'never' ? null : shownValue(property, content);
        return value === null ? [] : [[name, value] as const];
      });
      return parts.length === 0 ? undefined : Object.fromEntries(parts);
    }
    case 'elements': {
      const elements = binding.elements.flatMap((element) => shownElement(element, content) ?? []);
      return elements.length === 0 ? undefined : elements;
    }
    case 'externalId':
      return undefined;
  }
}

function shownElement({ marks, parts }: Element, content: JsonObject): JsonObject | undefined {
  const values = [...parts].flatMap(([name, property]) => {
    const value = shownValue(property, content);
    return value === null ? [] : [[name, value] as const];
  });
  return values.length === 0 ? undefined : { ...Object.fromEntries(values), ...marks };
}

/** A property as its attribute shows it; null where it has no value. */
export function shownValue({ pointer, values }: Property, content: JsonObject): JsonValue {
  const value = getAt(content, pointer) ?? null;
  // An attribute without a value is absent (RFC 7643, 2.5).
  if (value === null || (Array.isArray(value) && value.length === 0)) return null;
  if (values === undefined) return value;
  return value === values.true ? true : value === values.false ? false : null;
}

function shownReference(
  { multiValued }: Attribute,
  { property }: Reference,
  content: JsonObject,
  addresses: Addresses,
): JsonValue | undefined {
  const value = getMember(content, property) ?? null;
  const edges = (Array.isArray(value) ? value : [value]).flatMap((edge) => {
    const ref = isObject(edge) ? edge['_ref'] : undefined;
    return typeof ref === 'string' && isObject(edge) ? [shownEdge(ref, edge, multiValued, addresses)] : [];
  });
  if (edges.length === 0) return undefined;
  return multiValued ? edges : edges[0];
}

function shownEdge(
  ref: string,
  edge: JsonObject,
  isElement: boolean,
  { types, base }: Addresses,
): JsonObject {
  const collection = ref.slice(0, ref.lastIndexOf('/'));
  const id = parsePath(ref).at(-1) ?? '';
  const type = types.find((one) => one.collection === collection);
  const name = type === undefined ? null : getAt(edge, nameOf(type) ?? []);
  return {
    value: id,
    ...(type === undefined ? {} : { $ref: `${base}/${type.endpoint}/${encodeURIComponent(id)}` }),
    ...(typeof name === 'string' ? { [isElement ? 'display' : 'displayName']: name } : {}),
    ...(isElement && type !== undefined ? { type: type.name } : {}),
  };
}

/** The property by which people know a resource of a type; undefined where it has none. */
export function nameOf({ attributes }: ResourceType): readonly string[] | undefined {
  for (const name of ['displayName', 'userName']) {
    const { binding, returned } = attributes.find((attribute) => attribute.name === name) ?? {};
    if (binding?.kind === 'property' && returned !== 'never') return binding.pointer;
  }
  return undefined;
}

function holderIn(object: JsonObject, name: string): JsonObject {
  const found = getMember(object, name);
  if (isObject(found)) return found;
  const made: JsonObject = {};
  setMember(object, name, made);
  return made;
}
