/** What stands under an alias of a keystore. */
export interface KeystoreKey {
  readonly alias: string;
  /** Such as `AES`, or `RSA` of a pair of keys; undefined for a certificate, or a pair that cannot be read. */
  readonly algorithm: string | undefined;
  /** The bytes of a secret key; of a pair the private key (PKCS #8). */
  readonly bytes: Buffer | undefined;
}

/** The file is no keystore, is damaged, or has another password. */
export class KeystoreError extends Error {}

/** More of it would keep a processor busy for minutes; servers of the field have 200,000. */
export const MOST_ITERATIONS = 5_000_000;
