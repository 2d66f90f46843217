import { constants, createDecipheriv, createPrivateKey, privateDecrypt } from 'node:crypto';
import { getMember, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { CBC } from './cbc-cipher.ts';
import { bytesOf, ENCRYPTED, openEnvelope } from './envelope.ts';
import type { KeyRing } from './key-ring.ts';

/**
 * What somebody else has encrypted for a pair of keys, as password plugins of the field do: a key for once is encrypted with the
 * public one, and the value with that. `{cipher, key: {cipher, key: <alias>, data}, iv, data}`
 */
const MEMBERS = ['cipher', 'data', 'iv', 'key'];
const KEY_MEMBERS = ['cipher', 'data', 'key'];

/** By their names in Java; of other digests Java and OpenSSL make different things. */
const PADDINGS: Readonly<Record<string, { readonly padding: number; readonly oaepHash?: string }>> = {
  RSA: { padding: constants.RSA_PKCS1_PADDING },
  'RSA/ECB/PKCS1PADDING': { padding: constants.RSA_PKCS1_PADDING },
  'RSA/ECB/OAEPWITHSHA1ANDMGF1PADDING': { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' },
  'RSA/ECB/OAEPWITHSHA-1ANDMGF1PADDING': { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' },
};
const SESSION_KEY_BYTES = [16, 24, 32];
const IV_BYTES = 16;

/** Whether it is an envelope for a pair of keys, and nothing besides. */
export function isForKeyPair(value: JsonValue): boolean {
  const inner = openEnvelope(ENCRYPTED, value);
  if (inner === undefined || !hasJust(inner, MEMBERS)) return false;
  const key = inner['key'] ?? null;
  return (
    inner['cipher'] === CBC &&
    isObject(key) &&
    hasJust(key, KEY_MEMBERS) &&
    [...KEY_MEMBERS.map((name) => key[name]), inner['iv'], inner['data']].every(
      (text) => typeof text === 'string',
    )
  );
}

function hasJust(object: JsonObject, names: readonly string[]): boolean {
  return Object.keys(object).sort().join() === names.join();
}

/**
 * Undefined when no private key of the alias opens it, for whatever reason: whoever could tell the reasons apart could open
 * what is not theirs.
 *
 * @param value the inside of the envelope
 */
export function decryptForKeyPair(value: JsonObject, keys: KeyRing): Buffer | undefined {
  const key = getMember(value, 'key') ?? null;
  if (!isObject(key) || value['cipher'] !== CBC) return undefined;
  const how = PADDINGS[String(getMember(key, 'cipher')).toUpperCase()];
  const [wrapped, iv, data] = [bytesOf(key, 'data'), bytesOf(value, 'iv'), bytesOf(value, 'data')];
  if (how === undefined || wrapped === undefined || iv?.length !== IV_BYTES || data === undefined)
    return undefined;
  for (const pair of keys.pairsOf(String(getMember(key, 'key')))) {
    try {
      const privateKey = createPrivateKey({ key: pair.bytes, format: 'der', type: 'pkcs8' });
      const session = privateDecrypt({ key: privateKey, ...how }, wrapped);
      if (!SESSION_KEY_BYTES.includes(session.length)) continue;
      const decipher = createDecipheriv(`aes-${session.length * 8}-cbc`, session, iv);
      const plain = Buffer.concat([decipher.update(data), decipher.final()]);
      JSON.parse(plain.toString('utf8'));
      return plain;
    } catch {
      // Another pair may fit.
    }
  }
  return undefined;
}
