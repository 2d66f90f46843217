import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Crypto, hasEnvelope } from '#crypto/index.ts';
import { equalJson, type JsonValue } from '#json/index.ts';
import { keyOfValue } from './value-key.ts';

/** A comparison with a hash is made slow on purpose; what has matched once matches for as long as neither changes. */
const MOST_KNOWN = 20_000;
const known = new LRUCache<string, true>({ max: MOST_KNOWN });
/** The key of this thread for what it remembers, so that this says nothing of what was compared. */
const pepper = randomBytes(32);

/** Whether an encrypted value holds the same as the other, or a hashed one is a hash of it. */
export async function isSameSecret(crypto: Crypto, wanted: JsonValue, existing: JsonValue): Promise<boolean> {
  if (!hasEnvelope(wanted) && !hasEnvelope(existing)) return false;
  if (!crypto.isHashed(existing)) {
    return equalJson(await crypto.decrypt(wanted), await crypto.decrypt(existing));
  }
  const pair = createHmac('sha256', pepper)
    .update(keyOfValue([wanted, existing]))
    .digest('base64');
  if (known.get(pair) === true) return true;
  const plain = await crypto.decrypt(wanted);
  const isSame = typeof plain === 'string' && (await crypto.matches(plain, existing));
  if (isSame) known.set(pair, true);
  return isSame;
}
