import { getMember, isObject, type JsonObject, type JsonValue, type Pointer } from '#json/index.ts';

export const ENCRYPTED = 'x-simple-encryption';
export const HASHED = 'salted-hash';

/** `{"$crypto": {"type": …, "value": {…}}}`: how encrypted and hashed values stand among others. */
export function envelope(type: typeof ENCRYPTED | typeof HASHED, value: JsonObject): JsonObject {
  return { $crypto: { type, value } };
}

/** Whether it stands for a secret, whichever way that is protected. */
export function isEnvelope(value: JsonValue): boolean {
  return isObject(value) && isObject(getMember(value, '$crypto'));
}

/**
 * Where the first of them stands, however deep; undefined when there is none.
 *
 * @param passes those that do not count
 */
export function placeOfEnvelope(
  value: JsonValue,
  passes: (envelope: JsonValue) => boolean = () => false,
  path: Pointer = [],
): Pointer | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value) && Object.hasOwn(value, '$crypto')) return passes(value) ? undefined : path;
  for (const [name, member] of Object.entries(value)) {
    const place = placeOfEnvelope(member, passes, [...path, name]);
    if (place !== undefined) return place;
  }
  return undefined;
}

/** Whether there is an encrypted or hashed value, or what is called like one, somewhere inside. */
export function hasEnvelope(value: JsonValue | undefined): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => typeof item === 'object' && hasEnvelope(item));
  // Each answer is looked at as a whole: a list of its members, or a call for each, takes twice as long or more.
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue;
    if (name === '$crypto') return true;
    const member = value[name];
    if (typeof member === 'object' && hasEnvelope(member)) return true;
  }
  return false;
}

/** The inner value of an envelope of that type; undefined for anything else. */
export function openEnvelope(
  type: typeof ENCRYPTED | typeof HASHED,
  json: JsonValue | undefined,
): JsonObject | undefined {
  const outer = isObject(json) ? getMember(json, '$crypto') : undefined;
  if (!isObject(outer) || outer['type'] !== type) return undefined;
  const value = outer['value'];
  return isObject(value) ? value : undefined;
}

/** A member that must be Base64 text. */
export function bytesOf(value: JsonObject, name: string): Buffer | undefined {
  const text = getMember(value, name);
  return typeof text === 'string' ? Buffer.from(text, 'base64') : undefined;
}
