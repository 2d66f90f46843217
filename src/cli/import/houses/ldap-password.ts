import type { JsonObject } from '#json/index.ts';
import { storedHash } from './house-rows.ts';

/** Digests with a salt behind them, by the scheme in front of the value (RFC 2307), and the length of the digest. */
const SALTED: Readonly<Record<string, readonly [algorithm: string, bytes: number]>> = {
  SSHA: ['SHA-1', 20],
  SMD5: ['MD5', 16],
  SSHA256: ['SHA-256', 32],
  SSHA384: ['SHA-384', 48],
  SSHA512: ['SHA-512', 64],
};
const PBKDF2: Readonly<Record<string, string>> = {
  'PBKDF2-SHA256': 'PBKDF2',
  'PBKDF2-SHA512': 'PBKDF2-SHA512',
};

/** The value of a `userPassword` as it is stored here; undefined of what is plain, has no salt, or is hashed by what is not known here. */
export function ldapPassword(given: string): JsonObject | undefined {
  const [, scheme = '', rest = ''] = /^\{([\w-]{1,20})\}(.*)$/s.exec(given) ?? [];
  const [algorithm, bytes = 0] = SALTED[scheme.toUpperCase()] ?? [];
  if (algorithm !== undefined) {
    const isSalted = Buffer.from(rest, 'base64').length > bytes;
    return isSalted ? storedHash({ algorithm, charset: 'UTF-8', data: rest }) : undefined;
  }
  const name = PBKDF2[scheme.toUpperCase()];
  // OpenLDAP's pw-pbkdf2 writes the rounds, the salt and the hash, in Base64 with dots for pluses.
  const [rounds = '', salt, data] = rest.split('$');
  if (name === undefined || salt === undefined || data === undefined) return undefined;
  const base64 = (text: string) => text.replaceAll('.', '+');
  return storedHash({ algorithm: name, iterations: Number(rounds), salt: base64(salt), data: base64(data) });
}
