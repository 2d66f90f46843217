import { getMember, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import type { AttributeType } from './resource-type.ts';

/** A member that is an object; an empty one where there is none. */
export function objectAt(object: JsonObject, name: string): JsonObject {
  const member = getMember(object, name);
  return isObject(member) ? member : {};
}

/** The type of the values that a property holds; for a list, that of its elements. */
export function typeOf(property: JsonObject): AttributeType {
  const items = getMember(property, 'items');
  const declared = firstType(property['type']);
  const type = declared === 'array' && isObject(items) ? firstType(items['type']) : declared;
  if (type === 'boolean' || type === 'integer') return type;
  if (type === 'number') return 'decimal';
  return type === 'object' ? 'complex' : 'string';
}

/** The first type that a schema names beside null. */
export function firstType(type: JsonValue = null): string {
  const all = listOf(type).map(String);
  return all.find((one) => one !== 'null') ?? 'any';
}

/** A text that says something. */
export function filledText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A list, or what stands in the place of one. */
export function listOf(value: JsonValue = null): readonly JsonValue[] {
  return Array.isArray(value) ? value : [value];
}
