import {
  equalJson,
  formatPointer,
  getAt,
  isObject,
  type JsonObject,
  type JsonValue,
  type Pointer,
  parsePointer,
} from '#json/index.ts';

const HIDDEN = '***';

/** Pointers of what differs, into objects but not into lists; identity is no content. */
export function changedFields(before: JsonValue, after: JsonValue): string[] {
  return differences(before ?? {}, after ?? {}, []).filter((field) => field !== '/_id' && field !== '/_rev');
}

function differences(before: JsonValue, after: JsonValue, path: Pointer): string[] {
  if (!isObject(before) || !isObject(after) || '$crypto' in before || '$crypto' in after) {
    return equalJson(before, after) ? [] : [formatPointer(path)];
  }
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) =>
    differences(before[name] ?? null, after[name] ?? null, [...path, name]),
  );
}

/** Which of the fields, or of what lies below them, were changed. */
export function changedAmong(fields: readonly string[], changed: readonly string[]): string[] {
  return fields
    .map((field) => (field.startsWith('/') ? field : `/${field}`))
    .filter((field) =>
      changed.some((one) => one === field || one.startsWith(`${field}/`) || field.startsWith(`${one}/`)),
    );
}

/** A copy without secrets: encrypted and hashed values, and what stands at the given pointers. */
export function redact(value: JsonValue, secret: readonly string[]): JsonValue {
  const copy = withoutEnvelopes(value);
  if (!isObject(copy)) return copy;
  for (const field of secret) hide(copy, parsePointer(field));
  return copy;
}

function withoutEnvelopes(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutEnvelopes);
  if (!isObject(value)) return value;
  if ('$crypto' in value) return HIDDEN;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutEnvelopes(inner)]));
}

function hide(object: JsonObject, pointer: Pointer): void {
  const parent = pointer.length === 1 ? object : getAt(object, pointer.slice(0, -1));
  const name = pointer.at(-1);
  if (name !== undefined && isObject(parent ?? null) && Object.hasOwn(parent as JsonObject, name)) {
    (parent as JsonObject)[name] = HIDDEN;
  }
}
