import { randomBytes } from 'node:crypto';
import { changeRing, type KeyListing, listKeys } from './edit-key-ring.ts';
import { isOfPair } from './key-ring-schema.ts';
import { readKeystore } from './keystore/read-keystore.ts';
import type { KeyRingPlace } from './open-key-ring.ts';

/** What has become of the keys of a keystore. */
export interface ImportedKeys {
  readonly added: readonly KeyListing[];
  /** Aliases whose private key opens, from now on, what others encrypt for the pair. */
  readonly pairs: readonly string[];
  /** Aliases whose key the ring has already. */
  readonly known: readonly string[];
  /** What is no key for encryption, and why it stays. */
  readonly left: readonly { readonly alias: string; readonly reason: string }[];
}

const AES_BYTES = [16, 24, 32];
const PAIR = 'RSA';
const NEW_KEY_BYTES = 32;
const ALIAS = /^[\w.-]+$/;

/**
 * Takes the AES keys of a keystore of Java into the ring, each under its own alias: they decrypt what is stored. Where the alias is
 * new, a new key stands in front, which encrypts. Private keys of RSA come for password plugins, which encrypt for the pair. A
 * second time nothing changes.
 *
 * @throws KeystoreError, ActivationError
 */
export async function importKeys(
  place: KeyRingPlace,
  keystore: Buffer,
  password: string,
): Promise<ImportedKeys> {
  const left: { alias: string; reason: string }[] = [];
  const found = readKeystore(keystore, password).flatMap(({ alias, algorithm, bytes }) => {
    const reason =
      bytes === undefined
        ? 'It is a certificate, or a pair of keys that cannot be read'
        : algorithm !== PAIR && (algorithm !== 'AES' || !AES_BYTES.includes(bytes.length))
          ? `It is a key for ${algorithm}, which encrypts nothing that is stored`
          : !ALIAS.test(alias)
            ? 'Its alias has other characters than letters, digits, dots and dashes'
            : alias in Object.prototype
              ? 'Its alias is a name that no key can have'
              : undefined;
    if (reason !== undefined) left.push({ alias, reason });
    return reason !== undefined || bytes === undefined
      ? []
      : [{ alias, key: bytes.toString('base64'), isPair: algorithm === PAIR }];
  });
  const added: KeyListing[] = [];
  const known: string[] = [];
  const pairs: string[] = [];
  await changeRing(place, (text) => {
    const ring: Record<string, readonly string[]> = { ...text };
    for (const { alias, key, isPair } of found) {
      const keys = ring[alias] ?? (isPair ? [] : [randomBytes(NEW_KEY_BYTES).toString('base64')]);
      if (keys.includes(key)) {
        known.push(alias);
        continue;
      }
      if (keys.some(isOfPair) !== isPair && keys.length > 0) {
        left.push({ alias, reason: 'The ring has keys of another kind under its alias' });
        continue;
      }
      ring[alias] = [...keys, key];
      if (isPair) {
        pairs.push(alias);
        continue;
      }
      added.push(
        ...listKeys({ [alias]: [...keys, key] })
          .filter(({ isInUse }) => !isInUse)
          .slice(-1),
      );
    }
    return added.length + pairs.length === 0 ? undefined : ring;
  });
  return { added, pairs, known, left };
}
