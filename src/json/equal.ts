import { isObject, type JsonObject, type JsonValue } from './value.ts';

/**
 * Deep equality of JSON values; the order of object members does not matter.
 *
 * @param countOf how many members an object on the right has, for who compares with it again and again
 */
export function equalJson(
  left: JsonValue | undefined,
  right: JsonValue | undefined,
  countOf: (object: JsonObject) => number = countMembers,
): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((element, index) => equalJson(element, right[index], countOf))
    );
  }
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === countOf(right) &&
    keys.every((key) => Object.hasOwn(right, key) && equalJson(left[key], right[key], countOf))
  );
}

function countMembers(object: JsonObject): number {
  return Object.keys(object).length;
}
