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

/** Where the first of them stands, however deep; undefined when there is none. */
export function placeOfEnvelope(value: JsonValue, path: Pointer = []): Pointer | undefined {
  if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) {
      const place = placeOfEnvelope(element, [...path, String(index)]);
      if (place !== undefined) return place;
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  if (Object.hasOwn(value, '$crypto')) return path;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member !== 'object') continue;
    const place = placeOfEnvelope(member, [...path, name]);
    if (place !== undefined) return place;
  }
  return undefined;
}

/** Whether there is an encrypted or hashed value, or what is called like one, somewhere inside. */
export function hasEnvelope(value: JsonValue | undefined): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasEnvelope);
  return Object.hasOwn(value, '$crypto') || Object.values(value).some(hasEnvelope);
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
