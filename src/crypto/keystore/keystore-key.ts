/** What stands under an alias of a keystore. */
export interface KeystoreKey {
  readonly alias: string;
  /** Such as `AES`; undefined for a certificate, or a pair of keys. */
  readonly algorithm: string | undefined;
  /** The bytes of a secret key; undefined for anything else. */
  readonly bytes: Buffer | undefined;
}

/** The file is no keystore, is damaged, or has another password. */
export class KeystoreError extends Error {}

/** More of it would keep a processor busy for minutes; servers of the field have 200,000. */
export const MOST_ITERATIONS = 5_000_000;
