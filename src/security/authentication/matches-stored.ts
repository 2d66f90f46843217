import type { Crypto } from '#crypto/index.ts';
import type { JsonValue } from '#json/index.ts';

/** A hash, or an encrypted text. Plain text never matches: nobody should have been able to store one. */
export async function matchesStored(crypto: Crypto, password: string, stored: JsonValue): Promise<boolean> {
  if (crypto.isHashed(stored)) return crypto.matches(password, stored);
  if (!crypto.isEncrypted(stored)) return false;
  const plain = await crypto.decrypt(stored);
  return typeof plain === 'string' && crypto.matches(password, await crypto.hash(plain, 'SHA-512'));
}
