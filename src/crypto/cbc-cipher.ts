import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { isObject, type JsonObject } from '#json/index.ts';
import { bytesOf } from './envelope.ts';
import type { Key, KeyRing } from './key-ring.ts';

export const CBC = 'AES/CBC/PKCS5Padding';

const IV_BYTES = 16;
const SALT_BYTES = 16;
const MAC_BYTES = 16;
const MAC_KEY_BYTES = 32;

/**
 * The newer envelope of the Java servers, for scripts that ask for it: two keys are derived from the stored one
 * with a salt, and a MAC covers all members. `keyId` is ours.
 */
export function encryptCbc(plain: Buffer, key: Key): JsonObject {
  const salt = randomBytes(SALT_BYTES);
  const derived = deriveKeys(key, salt);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(nodeCipher(derived.encryption), derived.encryption, iv);
  const value: JsonObject = {
    cipher: CBC,
    key: key.alias,
    keyId: key.id,
    iv: iv.toString('base64'),
    data: Buffer.concat([cipher.update(plain), cipher.final()]).toString('base64'),
    salt: salt.toString('base64'),
  };
  return { ...value, mac: macOf(value, derived.mac).toString('base64') };
}

/**
 * Reads both envelopes of the Java servers: the newer one, and the older one without `salt` and `mac`, whose data
 * nobody has authenticated. They name no key id, so every key of the alias is tried. Undefined when none fits.
 *
 * @param acceptPlain whether a decrypted text makes sense; with a wrong key the padding may be right by chance
 */
export function decryptCbc(
  value: JsonObject,
  alias: string,
  keys: KeyRing,
  acceptPlain: (plain: Buffer) => boolean,
): Buffer | undefined {
  const iv = bytesOf(value, 'iv');
  const data = bytesOf(value, 'data');
  if (iv?.length !== IV_BYTES || data === undefined) return undefined;
  const { keyId } = value;
  for (const key of typeof keyId === 'string' ? [keys.get(alias, keyId)] : keys.all(alias)) {
    const encryptionKey = encryptionKeyOf(value, key);
    if (encryptionKey === undefined) continue;
    const plain = decryptBlocks(encryptionKey, iv, data);
    if (plain !== undefined && acceptPlain(plain)) return plain;
  }
  return undefined;
}

/** Undefined when the MAC says that this is not the key, or that the envelope was changed. */
function encryptionKeyOf(value: JsonObject, key: Key): Buffer | undefined {
  if (value['salt'] === undefined && value['mac'] === undefined) return key.bytes;
  const salt = bytesOf(value, 'salt');
  const mac = bytesOf(value, 'mac');
  if (salt === undefined || mac?.length !== MAC_BYTES) return undefined;
  const derived = deriveKeys(key, salt);
  return timingSafeEqual(macOf(value, derived.mac), mac) ? derived.encryption : undefined;
}

function decryptBlocks(key: Buffer, iv: Buffer, data: Buffer): Buffer | undefined {
  try {
    const decipher = createDecipheriv(nodeCipher(key), key, iv);
    return Buffer.concat([decipher.update(data), decipher.final()]);
  } catch {
    return undefined;
  }
}

function nodeCipher(key: Buffer): string {
  return `aes-${key.length * 8}-cbc`;
}

function deriveKeys(key: Key, salt: Buffer): { encryption: Buffer; mac: Buffer } {
  const expand = (info: string, length: number) =>
    Buffer.from(hkdfSync('sha256', key.bytes, salt, info, length));
  return { encryption: expand('AES', key.bytes.length), mac: expand('HmacSHA256', MAC_KEY_BYTES) };
}

/** Over the names and values of all other members, sorted by name. */
function macOf(value: JsonObject, key: Buffer): Buffer {
  const hmac = createHmac('sha256', key);
  for (const name of Object.keys(value).sort()) {
    if (name === 'mac') continue;
    const member = value[name];
    hmac.update(name, 'utf8').update(isObject(member) ? JSON.stringify(member) : String(member), 'utf8');
  }
  return hmac.digest().subarray(0, MAC_BYTES);
}
