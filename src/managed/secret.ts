import { type Crypto, hasEnvelope, withoutSeals, withSeals } from '#crypto/index.ts';
import { BadRequestError } from '#errors/index.ts';
import {
  cloneJson,
  equalJson,
  formatPointer,
  isObject,
  type JsonObject,
  type JsonValue,
} from '#json/index.ts';
import { type Context, isAdministrator } from '#resource/index.ts';
import type { ManagedType } from './managed-type.ts';

const ENVELOPE = '$crypto';

/**
 * What a caller from outside has sent, with what is stored in place of the seals that stand where they were shown.
 *
 * @throws BadRequestError `CRYPTO_FOREIGN_ENVELOPE`
 */
export function withOwnEnvelopes(given: JsonObject, stored: JsonObject | undefined): JsonObject;
export function withOwnEnvelopes(
  given: JsonValue,
  stored: JsonValue | undefined,
  path?: readonly string[],
): JsonValue;
export function withOwnEnvelopes(
  given: JsonValue,
  stored: JsonValue | undefined,
  path: readonly string[] = [],
): JsonValue {
  if (!hasEnvelope(given)) return given;
  const shown = stored === undefined ? undefined : withSeals(stored);
  const value = withoutSeals(given, shown, stored, path);
  refuseForeignEnvelopes(value, stored, path);
  return value;
}

/**
 * Callers from outside must not bring envelopes of their own: decrypting one for them would give away what it
 * holds. Sending back what is stored at the same place is fine.
 *
 * @throws BadRequestError `CRYPTO_FOREIGN_ENVELOPE`
 */
export function refuseForeignEnvelopes(
  value: JsonValue | undefined,
  stored: JsonValue | undefined,
  path: readonly string[] = [],
): void {
  if (!hasEnvelope(value) || equalJson(value, stored)) return;
  if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) {
      refuseForeignEnvelopes(element, Array.isArray(stored) ? stored[index] : undefined, [
        ...path,
        String(index),
      ]);
    }
    return;
  }
  if (!isObject(value)) return;
  const object = value;
  if (Object.hasOwn(object, ENVELOPE)) {
    throw foreignEnvelope(path);
  }
  for (const [name, member] of Object.entries(object)) {
    refuseForeignEnvelopes(member, isObject(stored) ? stored[name] : undefined, [...path, name]);
  }
}

/**
 * The same of an object that a patch has made: an envelope can be put together from parts, and moved to where it would be
 * opened. Elements of lists may move.
 *
 * @throws BadRequestError `CRYPTO_FOREIGN_ENVELOPE`
 */
export function refuseMadeEnvelopes(object: JsonObject, stored: JsonObject): void {
  if (!hasEnvelope(object)) return;
  const known = envelopesIn(stored);
  for (const { path, envelope } of envelopesIn(object)) {
    const isKnown = known.some(
      (one) => placeOf(one.path) === placeOf(path) && equalJson(one.envelope, envelope),
    );
    if (!isKnown) throw foreignEnvelope(path);
  }
}

function placeOf(path: readonly string[]): string {
  return formatPointer(path).replace(/\/\d+(?=\/|$)/g, '/#');
}

interface FoundEnvelope {
  readonly path: readonly string[];
  readonly envelope: JsonObject;
}

function envelopesIn(value: JsonValue, path: readonly string[] = []): readonly FoundEnvelope[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => envelopesIn(item, [...path, String(index)]));
  if (!isObject(value)) return [];
  if (Object.hasOwn(value, ENVELOPE)) return [{ path, envelope: value }];
  return Object.entries(value).flatMap(([name, member]) => envelopesIn(member, [...path, name]));
}

function foreignEnvelope(path: readonly string[]): BadRequestError {
  const field = formatPointer(path);
  return new BadRequestError(`'${field}' holds a $crypto value that is not the stored one`, {
    id: 'CRYPTO_FOREIGN_ENVELOPE',
    field,
    hint: 'Send the plain value; the server protects it',
  });
}

/**
 * The object with its declared properties in plain text, also those that are no longer declared as encrypted. Values
 * that scripts encrypted elsewhere stay as they are: nobody would encrypt them again.
 */
export async function decryptProperties(
  crypto: Crypto,
  type: ManagedType,
  object: JsonObject,
): Promise<JsonObject> {
  const plain = cloneJson(object);
  for (const [name, value] of Object.entries(plain)) {
    if (type.compiled.has(name) && crypto.isEncrypted(value)) plain[name] = await crypto.decrypt(value);
  }
  return plain;
}

/** Whether all of a stored object is protected as the type asks for now. */
export function isProtectionCurrent(crypto: Crypto, type: ManagedType, stored: JsonObject): boolean {
  return Object.entries(stored).every(([name, value]) => {
    const property = type.compiled.get(name);
    if (property === undefined || value === null) return true;
    const { encryption, hashAlgorithm } = property;
    if (encryption !== null) return crypto.isUpToDate(value, encryption.cipher, encryption.alias);
    return hashAlgorithm !== null ? crypto.isHashed(value) : !crypto.isEncrypted(value);
  });
}

/**
 * Whether the caller is not shown what a property keeps, though it may be allowed to set it. Administrators can find out by a
 * script.
 */
export function isKeptFrom({ client, security }: Context, { compiled }: ManagedType, name: string): boolean {
  if (!client.isExternal || isAdministrator(security)) return false;
  const property = compiled.get(name);
  return (
    property !== undefined &&
    (property.isPrivate || property.encryption !== null || property.hashAlgorithm !== null)
  );
}

/** Whether a text is what a stored envelope keeps. */
export async function matchesSecret(
  { crypto }: { readonly crypto: Crypto },
  text: string,
  stored: JsonValue,
): Promise<boolean> {
  if (crypto.isHashed(stored)) return crypto.matches(text, stored);
  return crypto.isEncrypted(stored) && (await crypto.decrypt(stored)) === text;
}
