import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { isPrivateKey } from './key-ring.ts';

const KEY_BYTES: readonly number[] = [16, 24, 32];

const key = z
  .string()
  .refine(
    (text) => /^[A-Za-z0-9+/]+=*$/.test(text) && isKey(Buffer.from(text, 'base64')),
    `must be ${KEY_BYTES.join(', ')} bytes in Base64`,
  );

/** @param text a key as it stands in a ring */
export function isOfPair(text: string): boolean {
  return isPrivateKey(Buffer.from(text, 'base64'));
}

/** `{"<alias>": ["<key in use>", "<key before it>", …]}`, keys in Base64; under an alias of its own a private key (PKCS #8, RSA). */
export const keyRingSchema = z.record(
  z.string().regex(/^[\w.-]+$/, 'an alias has letters, digits, dots, dashes and underscores'),
  z
    .array(key)
    .min(1, 'needs at least one key')
    .refine((keys) => keys.every(isOfPair) || !keys.some(isOfPair), 'has private keys and others'),
);

function isKey(bytes: Buffer): boolean {
  return isPrivateKey(bytes) ? typeOfPrivateKey(bytes) === 'rsa' : KEY_BYTES.includes(bytes.length);
}

function typeOfPrivateKey(bytes: Buffer): string | undefined {
  try {
    return createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' }).asymmetricKeyType;
  } catch {
    return undefined;
  }
}
