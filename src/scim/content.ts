import { BadRequestError } from '#errors/index.ts';
import {
  cloneJson,
  equalJson,
  getAt,
  getMember,
  isObject,
  type JsonObject,
  type JsonValue,
  type Pointer,
} from '#json/index.ts';
import { formatPath, type PatchOperation } from '#resource/index.ts';
import { shownValue } from './representation.ts';
import type { Attribute, Element, Property, Reference, ResourceType, SubAttribute } from './resource-type.ts';

/** What a resource that a client has sent says of an object. Names are those of the schema, whatever the client's case. */
export interface Said {
  /** Null: it has none. */
  readonly values: readonly {
    readonly property: Property;
    readonly value: JsonValue;
    readonly of: Attribute | SubAttribute;
  }[];
  /** The other ends, such as `managed/user/42`, by relationship. */
  readonly references: readonly { readonly reference: Reference; readonly refs: readonly string[] }[];
  /** Null: none; undefined: of this type there is none. */
  readonly externalId: string | null | undefined;
}

/**
 * Reads a resource. What only the server says is passed over, as is what no attribute is about (RFC 7644, 3.3).
 *
 * @throws BadRequestError `SCIM_BAD_VALUE`
 */
export function readContent(type: ResourceType, resource: JsonObject): Said {
  const values: Said['values'][number][] = [];
  const references: Said['references'][number][] = [];
  let externalId: string | null | undefined;
  for (const attribute of type.attributes) {
    const { binding, mutability } = attribute;
    if (mutability === 'readOnly') continue;
    const given = memberOf(type, attribute, resource) ?? null;
    const take = (property: Property, of: Attribute | SubAttribute, value: JsonValue) =>
      values.push({ property, value: storedValue(property, of, value), of });
    if (binding.kind === 'property') take(binding, attribute, given);
    else if (binding.kind === 'externalId')
      externalId = given === null || given === '' ? null : requireText(attribute, given);
    else if (binding.kind === 'reference')
      references.push({ reference: binding, refs: refsOf(attribute, binding, given) });
    else if (binding.kind === 'parts') {
      if (given !== null && !isObject(given)) throw badValue(attribute, given, 'an object');
      for (const part of attribute.subAttributes) {
        if (part.property === undefined || part.mutability === 'readOnly') continue;
        take(part.property, part, given === null ? null : (memberIgnoringCase(given, part.name) ?? null));
      }
    } else {
      const elements = elementsOf(attribute, given);
      for (const [at, element] of binding.elements.entries()) {
        const found = elements.find((one) => isElement(element, one, at === 0));
        for (const [name, property] of element.parts) {
          const part = attribute.subAttributes.find((one) => one.name === name) ?? attribute;
          take(property, part, found === undefined ? null : (memberIgnoringCase(found, name) ?? null));
        }
      }
    }
  }
  return { values, references, externalId };
}

/** The value of an attribute in a resource, be it of the core schema or of an extension. */
export function memberOf(
  type: ResourceType,
  { name, schema }: Attribute,
  resource: JsonObject,
): JsonValue | undefined {
  if (schema === type.schema) return memberIgnoringCase(resource, name);
  const extension = memberIgnoringCase(resource, schema);
  return isObject(extension) ? memberIgnoringCase(extension, name) : undefined;
}

export function memberIgnoringCase(object: JsonObject, name: string): JsonValue | undefined {
  const own = getMember(object, name);
  if (own !== undefined) return own;
  const lower = name.toLowerCase();
  const key = Object.keys(object).find((one) => one.toLowerCase() === lower);
  return key === undefined ? undefined : getMember(object, key);
}

/** The content of a new object. */
export function newContent(type: ResourceType, { values, references }: Said): JsonObject {
  const content: JsonObject = cloneJson(type.defaults);
  for (const { property, value } of values) if (value !== null) setIn(content, property.pointer, value);
  for (const { reference, refs } of references) {
    const edges = refs.map((ref) => ({ _ref: ref }));
    if (edges.length > 0) content[reference.property] = reference.isArray ? edges : (edges[0] ?? null);
  }
  return content;
}

/**
 * What has to change in an object for it to say that; of its lists of references somebody else takes care.
 *
 * @param options.keepsFlags what a resource that is sent as a whole does not say of an account it leaves as it is
 * @throws BadRequestError `SCIM_NOT_MUTABLE`
 */
export function changesTo(
  before: JsonObject,
  { values, references }: Said,
  { keepsFlags = false } = {},
): readonly PatchOperation[] {
  const changed = values.flatMap(({ property, value, of }): PatchOperation[] => {
    const { pointer } = property;
    const isSecret = of.returned === 'never';
    const shown = isSecret ? null : shownValue(property, before);
    // What is not shown is not sent back either.
    if (value === null && (shown === null || (keepsFlags && property.values !== undefined))) return [];
    if (!isSecret && equalJson(getAt(before, pointer) ?? null, value)) return [];
    if (of.mutability === 'immutable' && shown !== null) {
      if (value === null) return [];
      throw new BadRequestError(`'${of.name}' has a value, and keeps it`, { id: 'SCIM_NOT_MUTABLE' });
    }
    if (value === null) return [{ operation: 'remove', field: pointer }];
    return [{ operation: 'replace', field: pointer, value }];
  });
  const moved = references.flatMap(({ reference: { property, isArray }, refs }): PatchOperation[] => {
    if (isArray) return [];
    const is = getAt(before, [property, '_ref']) ?? null;
    const [ref = null] = refs;
    if (is === ref) return [];
    if (ref === null) return [{ operation: 'remove', field: [property] }];
    return [{ operation: 'replace', field: [property], value: { _ref: ref } }];
  });
  return [...changed, ...moved];
}

function setIn(content: JsonObject, pointer: Pointer, value: JsonValue): void {
  const [name = '', ...rest] = pointer;
  if (rest.length === 0) {
    content[name] = value;
    return;
  }
  const inner = getMember(content, name);
  const holder: JsonObject = isObject(inner) ? inner : {};
  content[name] = holder;
  setIn(holder, rest, value);
}

/** An element without a mark is the first one: many clients send but one, and do not say which. */
export function isElement({ marks }: Element, value: JsonObject, isFirst: boolean): boolean {
  return Object.entries(marks).every(([mark, wanted]) => {
    const said = memberIgnoringCase(value, mark) ?? null;
    if (said === null) return isFirst;
    return typeof said === 'string' && said.toLowerCase() === wanted.toLowerCase();
  });
}

function elementsOf(attribute: Attribute, given: JsonValue): JsonObject[] {
  const list = Array.isArray(given) ? given : given === null ? [] : [given];
  return list.map((one) => {
    if (isObject(one)) return one;
    // Some clients send the value alone.
    if (typeof one === 'string') return { value: one };
    throw badValue(attribute, one, 'an object');
  });
}

/** The other ends of a relationship, by the ids that a client gives. */
export function refsOf(attribute: Attribute, { collections }: Reference, given: JsonValue): string[] {
  const [collection] = collections;
  const list = Array.isArray(given) ? given : given === null ? [] : [given];
  const ids = list.flatMap((one) => {
    const id = isObject(one)
      ? (memberIgnoringCase(one, 'value') ?? idIn(memberIgnoringCase(one, '$ref')))
      : one;
    // Entra takes a manager away so.
    if ((id === null || id === '') && !attribute.multiValued) return [];
    if (typeof id === 'string' && id !== '') return [id];
    throw badValue(attribute, one, 'an object with the id of a resource as its value');
  });
  if (!attribute.multiValued && ids.length > 1) throw badValue(attribute, given, 'one value');
  return [...new Set(ids)].map((id) => `${collection}/${formatPath([id])}`);
}

/** The id that an address of a resource ends with, for a client that gives nothing else. */
function idIn(address: JsonValue | undefined): string | null {
  const segment = typeof address === 'string' ? address.slice(address.lastIndexOf('/') + 1) : '';
  try {
    return segment === '' ? null : decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/** A value as it is stored. @throws BadRequestError `SCIM_BAD_VALUE` */
function storedValue({ values }: Property, attribute: Attribute | SubAttribute, given: JsonValue): JsonValue {
  if (given === null || (Array.isArray(given) && given.length === 0)) return null;
  if (attribute.multiValued) return given;
  const value = attribute.type === 'complex' ? given : aloneIn(given);
  switch (attribute.type) {
    case 'boolean': {
      const flag = typeof value === 'string' ? { true: true, false: false }[value.toLowerCase()] : value;
      if (typeof flag !== 'boolean') throw badValue(attribute, given, 'true or false');
      return values === undefined ? flag : flag ? values.true : values.false;
    }
    case 'integer':
    case 'decimal': {
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
      if (typeof number !== 'number' || !Number.isFinite(number))
        throw badValue(attribute, given, 'a number');
      return number;
    }
    case 'string':
    case 'reference':
      return requireText(attribute, value);
    default:
      return value;
  }
}

/** Some clients send a list of one, or `[{"$ref": null, "value": "x"}]`, in the place of a value. */
function aloneIn(given: JsonValue): JsonValue {
  const one = Array.isArray(given) && given.length === 1 ? (given[0] ?? null) : given;
  if (one === given || !isObject(one)) return one;
  const [only, ...others] = Object.entries(one).filter(([, value]) => value !== null);
  return only !== undefined && others.length === 0 && only[0].toLowerCase() === 'value' ? only[1] : one;
}

function requireText(attribute: Attribute | SubAttribute, value: JsonValue): string {
  if (typeof value === 'string') return value;
  throw badValue(attribute, value, 'a text');
}

const KINDS: Readonly<Record<string, string>> = {
  object: 'an object',
  string: 'a text',
  number: 'a number',
  boolean: 'a boolean',
};

/** It tells nothing of the value, which may be a password. */
export function badValue({ name }: { readonly name: string }, value: JsonValue, wanted: string): Error {
  const is = value === null ? 'null' : Array.isArray(value) ? 'a list' : KINDS[typeof value];
  return new BadRequestError(`'${name}' is ${is}, not ${wanted}`, { id: 'SCIM_BAD_VALUE' });
}
