import { z } from 'zod';

const KEY_BYTES: readonly number[] = [16, 24, 32];

const key = z
  .string()
  .refine(
    (text) => KEY_BYTES.includes(Buffer.from(text, 'base64').length) && /^[A-Za-z0-9+/]+=*$/.test(text),
    `must be ${KEY_BYTES.join(', ')} bytes in Base64`,
  );

/** `{"<alias>": ["<key in use>", "<key before it>", …]}`, keys in Base64. */
export const keyRingSchema = z.record(
  z.string().regex(/^[\w.-]+$/, 'an alias has letters, digits, dots, dashes and underscores'),
  z.array(key).min(1, 'needs at least one key'),
);
