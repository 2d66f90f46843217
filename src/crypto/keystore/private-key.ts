import { createPrivateKey } from 'node:crypto';
import type { KeystoreKey } from './keystore-key.ts';

/** A pair that cannot be read, perhaps because it has a password of its own, keeps no other key from coming. */
export function pairOf(read: () => Buffer): Pick<KeystoreKey, 'algorithm' | 'bytes'> {
  try {
    const bytes = read();
    const { asymmetricKeyType } = createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' });
    return { algorithm: asymmetricKeyType?.toUpperCase(), bytes };
  } catch {
    return { algorithm: undefined, bytes: undefined };
  }
}
