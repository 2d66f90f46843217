import { createHash } from 'node:crypto';
import { BadRequestError } from '#errors/index.ts';
import {
  equalJson,
  formatPointer,
  getAt,
  isObject,
  type JsonObject,
  type JsonValue,
  type Pointer,
} from '#json/index.ts';
import { ENCRYPTED, HASHED, isEnvelope, placeOfEnvelope } from './envelope.ts';

/**
 * What callers from outside are shown in place of a secret. A seal can be sent back to where it stood, and is of no use
 * elsewhere. Of an envelope it has a hash, so that another one shows as a change, and how it is protected; of a plain text nothing.
 */
export function sealOf(value: JsonValue): JsonObject {
  if (isSeal(value)) return value;
  const inner = getAt(value, ['$crypto', 'value']) ?? null;
  const isHash = getAt(value, ['$crypto', 'type']) === HASHED;
  const protection = isObject(inner) ? inner[isHash ? 'algorithm' : 'key'] : undefined;
  const name = isHash ? 'algorithm' : 'key';
  const sealed = isObject(value)
    ? createHash('sha256')
        .update(JSON.stringify(ordered(value)))
        .digest('hex')
        .slice(0, 16)
    : 'file';
  return seal(
    isHash ? HASHED : ENCRYPTED,
    typeof protection === 'string' ? { [name]: protection, sealed } : { sealed },
  );
}

/** The database keeps members in an order of its own. */
function ordered(value: JsonValue): JsonValue {
  if (!isObject(value)) return value;
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, ordered(member)]));
}

/**
 * Stands for a value that is not protected and still shown to nobody. It tells nothing of it: a hash of little can be
 * guessed.
 */
export const PRIVATE_SEAL: JsonObject = seal('x-private', { sealed: 'private' });

function seal(type: string, value: JsonObject): JsonObject {
  return { $crypto: { type, value } };
}

/** Whether a value is a seal and nothing else: what has more members may be something that can be opened. */
export function isSeal(value: JsonValue): value is JsonObject {
  if (!hasOnly(value, ['$crypto'])) return false;
  const about = value['$crypto']!;
  if (!hasOnly(about, ['type', 'value'])) return false;
  const inner = about['value'] ?? null;
  return hasOnly(inner, ['algorithm', 'key', 'sealed']) && typeof inner['sealed'] === 'string';
}

function hasOnly(value: JsonValue, names: readonly string[]): value is JsonObject {
  return (
    isObject(value) &&
    Object.keys(value).every((name) => names.includes(name)) &&
    Object.keys(value).length > 0
  );
}

/**
 * Where the first encrypted or hashed value stands that is no seal; undefined where there is none.
 *
 * @param passes others that do not count
 */
export function placeOfForeign(
  value: JsonValue,
  passes: (envelope: JsonValue) => boolean = () => false,
): Pointer | undefined {
  return placeOfEnvelope(value, (envelope) => isSeal(envelope) || passes(envelope));
}

/** The value with a seal in place of each envelope, however deep. */
export function withSeals(value: JsonObject): JsonObject;
export function withSeals(value: JsonValue): JsonValue;
export function withSeals(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withSeals);
  if (!isObject(value)) return value;
  if (isEnvelope(value)) return sealOf(value);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withSeals(member)]));
}

/** The value at a place in what is no envelope itself. Of a part of an envelope there is what its seal has. */
export function getSealedAt(root: JsonValue, pointer: Pointer): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const [depth, token] of pointer.entries()) {
    if (depth > 0 && value !== undefined && isEnvelope(value)) value = sealOf(value);
    value = getAt(value, [token]);
  }
  return value;
}

/**
 * What was sent, with what is stored in place of the seals that stand where they stood.
 *
 * @param shown the stored value as the caller was shown it
 * @throws BadRequestError `CRYPTO_FOREIGN_ENVELOPE`
 */
export function withoutSeals(
  given: JsonObject,
  shown: JsonValue | undefined,
  stored: JsonObject | undefined,
): JsonObject;
export function withoutSeals(
  given: JsonValue,
  shown: JsonValue | undefined,
  stored: JsonValue | undefined,
  path?: readonly string[],
): JsonValue;
export function withoutSeals(
  given: JsonValue,
  shown: JsonValue | undefined,
  stored: JsonValue | undefined,
  path: readonly string[] = [],
): JsonValue {
  if (isSeal(given)) {
    if (shown !== undefined && stored !== undefined && equalJson(given, shown)) return stored;
    const field = formatPointer(path);
    throw new BadRequestError(`The seal at '${field}' is not that of the stored value`, {
      id: 'CRYPTO_FOREIGN_ENVELOPE',
      field,
      hint: 'A seal stands for the secret at its own place; send the secret itself',
    });
  }
  const member = (name: string) =>
    [
      shown === undefined ? undefined : getAt(shown, [name]),
      stored === undefined ? undefined : getAt(stored, [name]),
    ] as const;
  if (Array.isArray(given)) {
    return given.map((item, index) => withoutSeals(item, ...member(String(index)), [...path, String(index)]));
  }
  if (!isObject(given)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      withoutSeals(value, ...member(name), [...path, name]),
    ]),
  );
}
