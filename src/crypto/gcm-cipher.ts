import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { InternalServerError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { bytesOf } from './envelope.ts';
import type { Key, KeyRing } from './key-ring.ts';

export const GCM = 'AES/GCM/NoPadding';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/**
 * AES-256-GCM: `{cipher, key, keyId, iv, data}`, where `data` ends with the 16 bytes of the tag and `cipher`, `key`
 * and `keyId` are authenticated as well, so that no envelope can be relabelled.
 *
 * @throws InternalServerError when the key is shorter than 32 bytes
 */
export function encryptGcm(plain: Buffer, key: Key): JsonObject {
  if (key.bytes.length !== KEY_BYTES) {
    throw new InternalServerError(`The key in use of '${key.alias}' has not the 32 bytes that ${GCM} needs`, {
      id: 'CRYPTO_KEY_LENGTH',
      hint: 'Put a key of 32 bytes in front of it in the key ring; old values stay readable',
    });
  }
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key.bytes, iv);
  cipher.setAAD(labelOf(key));
  const data = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return {
    cipher: GCM,
    key: key.alias,
    keyId: key.id,
    iv: iv.toString('base64'),
    data: data.toString('base64'),
  };
}

/** Undefined when the envelope is damaged. */
export function decryptGcm(value: JsonObject, alias: string, keys: KeyRing): Buffer | undefined {
  const iv = bytesOf(value, 'iv');
  const data = bytesOf(value, 'data');
  const { keyId } = value;
  if (iv === undefined || data === undefined || typeof keyId !== 'string') return undefined;
  return gcmPlain(iv, data, keys.get(alias, keyId));
}

/** Undefined when it is not what this key has encrypted. */
export function gcmPlain(iv: Buffer, data: Buffer, key: Key): Buffer | undefined {
  if (iv.length !== IV_BYTES || data.length < TAG_BYTES || key.bytes.length !== KEY_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(labelOf(key));
  decipher.setAuthTag(data.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(data.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}

function labelOf(key: Key): Buffer {
  return Buffer.from([GCM, key.alias, key.id].join('\n'));
}
