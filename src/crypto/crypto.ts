import type { JsonObject, JsonValue } from '#json/index.ts';

/**
 * Encryption and hashing of JSON values, in the `$crypto` envelopes. Keys are named by alias and come from the key
 * ring; they never leave it.
 */
export interface Crypto {
  /** @param cipher null for the default, AES-256-GCM @param alias null for the default key */
  encrypt(value: JsonValue, cipher: string | null, alias: string | null): Promise<JsonObject>;
  /** A deep copy with every encrypted envelope inside decrypted; hashes stay as they are. */
  decrypt(value: JsonValue): Promise<JsonValue>;
  /** @param algorithm null for the default, ARGON2ID */
  hash(value: JsonValue, algorithm: string | null): Promise<JsonObject>;
  /** Whether it is an encrypted envelope; a hash is not. */
  isEncrypted(value: JsonValue): boolean;
  isHashed(value: JsonValue): boolean;
  /** Compares a plain text with a hash in constant time; false when the second is no known hash. */
  matches(plain: string, hashed: JsonValue): Promise<boolean>;
  /**
   * Whether it is an envelope just as `encrypt` with the same cipher and alias would make it now: false for plain
   * values, other ciphers, other aliases, and keys that the ring has replaced.
   */
  isUpToDate(value: JsonValue, cipher: string | null, alias: string | null): boolean;
}
