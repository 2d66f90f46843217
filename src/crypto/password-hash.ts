import { BadRequestError, didYouMean } from '#errors/index.ts';
import { getMember, type JsonObject, type JsonValue } from '#json/index.ts';
import { envelope, HASHED, openEnvelope } from './envelope.ts';
import type { HashAlgorithm } from './hash-algorithm.ts';
import { SALTED_DIGESTS } from './salted-digest.ts';
import { ARGON2ID, PBKDF2, PBKDF2_SHA1, PBKDF2_SHA512, SCRYPT } from './slow-hash.ts';

const ALGORITHMS: ReadonlyMap<string, HashAlgorithm> = new Map(
  [ARGON2ID, SCRYPT, PBKDF2, PBKDF2_SHA512, PBKDF2_SHA1, ...SALTED_DIGESTS].map((algorithm) => [
    algorithm.name,
    algorithm,
  ]),
);

/** Verified, never made: broken digests that imported hashes may have. */
const ONLY_VERIFIED: ReadonlySet<string> = new Set(['MD5', 'SHA-1', 'PBKDF2-SHA1']);

/** Whether passwords can be compared with hashes of that algorithm. */
export function knowsHash(algorithm: string): boolean {
  return ALGORITHMS.has(algorithm);
}

/** Whether passwords are compared with a hash that has what is inside of this envelope. */
export function takesHash(value: JsonObject): boolean {
  return algorithmOf(value)?.takes(value) ?? false;
}

/** Whether to compare a password with it takes clearly less time than with a hash of ours. */
export function isQuickHash(stored: JsonValue): boolean {
  const value = openEnvelope(HASHED, stored);
  return value === undefined || (algorithmOf(value)?.isQuick(value) ?? true);
}

function algorithmOf(value: JsonObject): HashAlgorithm | undefined {
  const algorithm = getMember(value, 'algorithm');
  return typeof algorithm === 'string' ? ALGORITHMS.get(algorithm) : undefined;
}

/** A hash as it is stored: `{"$crypto":{"type":"salted-hash","value":{"algorithm":"ARGON2ID",…}}}`. */
export async function hashPassword(password: string): Promise<JsonObject> {
  return hashText(password, null);
}

/**
 * @param algorithm null for ARGON2ID
 * @throws BadRequestError for an algorithm that is unknown, or too weak to be written
 */
export async function hashText(plain: string, algorithm: string | null): Promise<JsonObject> {
  const name = (algorithm ?? ARGON2ID.name).toUpperCase();
  const found = ALGORITHMS.get(name);
  if (found === undefined || ONLY_VERIFIED.has(name)) {
    const known = [...ALGORITHMS.keys()].filter((candidate) => !ONLY_VERIFIED.has(candidate));
    throw new BadRequestError(
      found === undefined ? `Unknown hash algorithm '${algorithm}'` : `${name} is only verified, not written`,
      { id: 'CRYPTO_UNKNOWN_ALGORITHM', hint: didYouMean(name, known) ?? `Use one of ${known.join(', ')}` },
    );
  }
  return envelope(HASHED, await found.hash(plain));
}

/** Compares in constant time. Anything that is not a known hash matches nothing. */
export async function matchesPassword(password: string, stored: JsonValue | undefined): Promise<boolean> {
  const value = openEnvelope(HASHED, stored);
  if (value === undefined) return false;
  return (await algorithmOf(value)?.matches(password, value)) ?? false;
}
