import { type Crypto, isQuickHash } from '#crypto/index.ts';
import type { JsonValue } from '#json/index.ts';

/**
 * A hash, or an encrypted text. Plain text never matches: nobody should have been able to store one. A guess at what is compared quickly, as
 * hashes of other servers are, takes as long as one at a name that nobody has: else it would be told that somebody has this one.
 *
 * @param decoy a hash that no password matches, made as those of accounts are
 */
export async function matchesStored(
  crypto: Crypto,
  password: string,
  stored: JsonValue,
  decoy: () => Promise<JsonValue>,
): Promise<boolean> {
  const isRight = await compared(crypto, password, stored);
  if (!isRight && isQuickHash(stored)) await crypto.matches(password, await decoy());
  return isRight;
}

async function compared(crypto: Crypto, password: string, stored: JsonValue): Promise<boolean> {
  if (crypto.isHashed(stored)) return crypto.matches(password, stored);
  if (!crypto.isEncrypted(stored)) return false;
  const plain = await crypto.decrypt(stored);
  return typeof plain === 'string' && crypto.matches(password, await crypto.hash(plain, 'SHA-512'));
}
