import {
  equalJson,
  formatPointer,
  isObject,
  type JsonObject,
  type JsonValue,
  type Pointer,
  parsePointer,
} from '#json/index.ts';

const HIDDEN = '***';

/** Pointers of what differs, into objects but not into lists; identity is no content. */
export function changedFields(before: JsonValue, after: JsonValue): string[] {
  // Of what is new or gone nothing has to be compared: each member that has a value differs.
  if (before === null && isObject(after)) return namesOfValues(after);
  if (after === null && isObject(before)) return namesOfValues(before);
  return differences(before ?? {}, after ?? {}, []).filter((field) => field !== '/_id' && field !== '/_rev');
}

function namesOfValues(value: JsonObject): string[] {
  return Object.keys(value)
    .filter((name) => name !== '_id' && name !== '_rev' && value[name] !== null)
    .map((name) => formatPointer([name]));
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

/** The value without secrets: encrypted and hashed values, and what stands at the given pointers. Shares what has none. */
export function redact(value: JsonValue, secret: readonly string[]): JsonValue {
  let shown = withoutEnvelopes(value);
  for (const field of secret) shown = hidden(shown, parsePointer(field));
  return shown;
}

function withoutEnvelopes(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value) && '$crypto' in value) return HIDDEN;
  let copy: JsonValue[] | JsonObject | undefined;
  for (const name of Object.keys(value)) {
    const before = (value as JsonObject)[name] as JsonValue;
    const after = withoutEnvelopes(before);
    if (after === before) continue;
    copy ??= Array.isArray(value) ? [...value] : { ...value };
    (copy as JsonObject)[name] = after;
  }
  return copy ?? value;
}

function hidden(value: JsonValue, [name, ...rest]: Pointer): JsonValue {
  if (name === undefined) return HIDDEN;
  if (!isObject(value) || !Object.hasOwn(value, name)) return value;
  return { ...value, [name]: hidden(value[name]!, rest) };
}
