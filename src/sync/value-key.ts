import { isObject, type JsonValue } from '#json/index.ts';

/** A text that two values have in common exactly if they are equal, however their members are ordered. */
export function keyOfValue(value: JsonValue): string {
  return JSON.stringify(value, (_, inner: JsonValue) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(byName)) : inner,
  );
}

function byName([one]: readonly [string, JsonValue], [other]: readonly [string, JsonValue]): number {
  return one < other ? -1 : 1;
}

/** What a value is, for messages that must not show it. */
export function kindOfValue(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
