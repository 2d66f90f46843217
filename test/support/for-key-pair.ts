import {
  constants,
  createCipheriv,
  createPublicKey,
  type KeyObject,
  publicEncrypt,
  randomBytes,
} from 'node:crypto';
import type { JsonObject, JsonValue } from '#json/index.ts';

const PADDINGS = {
  'RSA/ECB/PKCS1Padding': { padding: constants.RSA_PKCS1_PADDING },
  'RSA/ECB/OAEPWithSHA1AndMGF1Padding': { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' },
} as const;
export const PAIR_CIPHERS = Object.keys(PADDINGS) as (keyof typeof PADDINGS)[];

/** As password plugins of the field encrypt: with a key for once, and that with the public key of the server. */
export function encryptForPair(
  value: JsonValue,
  alias: string,
  key: KeyObject,
  cipher: keyof typeof PADDINGS = 'RSA/ECB/PKCS1Padding',
): JsonObject {
  const session = randomBytes(16);
  const iv = randomBytes(16);
  const aes = createCipheriv('aes-128-cbc', session, iv);
  const data = Buffer.concat([aes.update(JSON.stringify(value)), aes.final()]);
  const wrapped = publicEncrypt({ key: createPublicKey(key), ...PADDINGS[cipher] }, session);
  return {
    $crypto: {
      type: 'x-simple-encryption',
      value: {
        cipher: 'AES/CBC/PKCS5Padding',
        key: { cipher, key: alias, data: wrapped.toString('base64') },
        iv: iv.toString('base64'),
        data: data.toString('base64'),
      },
    },
  };
}
