import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { bytesOf } from './envelope.ts';
import type { HashAlgorithm } from './hash-algorithm.ts';

const SALT_BYTES = 16;
const OURS = 'UTF-8';

/**
 * A digest over the text and a salt, 16 bytes where it is ours, stored as digest and salt in one. Fast, so good for tokens and
 * for hashes that other servers made, not for new passwords.
 *
 * The Java servers hash as many BYTES as the text has UTF-16 units, which cuts texts with letters beyond ASCII.
 * Hashes of ours say `"charset": "UTF-8"`; one without it may be either, so both are compared.
 */
function saltedDigest(name: string, digestName: string, digestBytes: number): HashAlgorithm {
  const digest = (bytes: Buffer, salt: Buffer) => createHash(digestName).update(bytes).update(salt).digest();
  return {
    name,
    takes: (value) => (bytesOf(value, 'data')?.length ?? 0) > digestBytes,
    isQuick: () => true,
    async hash(plain) {
      const salt = randomBytes(SALT_BYTES);
      const data = Buffer.concat([digest(Buffer.from(plain), salt), salt]);
      return { algorithm: name, charset: OURS, data: data.toString('base64') };
    },
    async matches(plain, value) {
      const data = bytesOf(value, 'data');
      if (data === undefined || data.length <= digestBytes) return false;
      const salt = data.subarray(digestBytes);
      const expected = data.subarray(0, digestBytes);
      const bytes = Buffer.from(plain);
      const whole = isSame(digest(bytes, salt), expected);
      if (value['charset'] === OURS || bytes.length === plain.length) return whole;
      return isSame(digest(bytes.subarray(0, plain.length), salt), expected) || whole;
    },
  };
}

function isSame(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

export const SALTED_DIGESTS: readonly HashAlgorithm[] = [
  saltedDigest('MD5', 'md5', 16),
  saltedDigest('SHA-1', 'sha1', 20),
  saltedDigest('SHA-256', 'sha256', 32),
  saltedDigest('SHA-384', 'sha384', 48),
  saltedDigest('SHA-512', 'sha512', 64),
];
