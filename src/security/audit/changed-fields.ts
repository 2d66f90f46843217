import {
  equalJson,
  firstOf,
  formatPointer,
  getMember,
  isObject,
  type JsonObject,
  type JsonValue,
  type Pointer,
  parsePointer,
} from '#json/index.ts';

/** What stands in place of a secret. */
export const HIDDEN = '***';

/** An entry names no more than so many of them, nor more than so many characters of their names. */
const MOST_FIELDS = 1_000;
const MOST_CHARACTERS = 65_536;

export interface ChangedFields {
  /** The fields as pointers, into objects but not into lists; identity is no content. */
  readonly fields: readonly string[];
  /** There are more. */
  readonly isTruncated: boolean;
}

export function changedFields(before: JsonValue, after: JsonValue): ChangedFields {
  const fields: string[] = [];
  let characters = 0;
  for (const path of differences(before ?? {}, after ?? {}, [])) {
    if (path.length === 1 && isIdentity(firstOf(path))) continue;
    characters += path.reduce((sum, name) => sum + name.length + 1, 0);
    if (fields.length === MOST_FIELDS || characters > MOST_CHARACTERS) return { fields, isTruncated: true };
    fields.push(formatPointer(path));
  }
  return { fields, isTruncated: false };
}

function isIdentity(name: string): boolean {
  return name === '_id' || name === '_rev';
}

/** Found one after the other, since they may be far more than anybody wants to know. @param path is used again and again */
function* differences(before: JsonValue, after: JsonValue, path: string[]): Generator<Pointer> {
  if (!isObject(before) || !isObject(after) || '$crypto' in before || '$crypto' in after) {
    if (!equalJson(before, after)) yield path;
    return;
  }
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const name of names) {
    path.push(name);
    yield* differences(getMember(before, name) ?? null, getMember(after, name) ?? null, path);
    path.pop();
  }
}

/** The fields that are not as before, or of which something below or above is not. */
export function changedAmong(fields: readonly string[], before: JsonValue, after: JsonValue): string[] {
  return fields
    .map((field) => (field.startsWith('/') ? field : `/${field}`))
    .filter((field) => differsAt(before ?? {}, after ?? {}, parsePointer(field)));
}

function differsAt(before: JsonValue, after: JsonValue, [name, ...below]: Pointer): boolean {
  if (name === undefined || !isObject(before) || !isObject(after)) {
    return differences(before, after, []).next().done === false;
  }
  return differsAt(getMember(before, name) ?? null, getMember(after, name) ?? null, below);
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
