import { getMember, isObject, type JsonObject, type JsonValue } from '#json/index.ts';

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
