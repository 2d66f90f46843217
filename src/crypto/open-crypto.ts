import { BadRequestError, InternalServerError } from '#errors/index.ts';
import { getMember, isObject, type JsonObject, type JsonValue, setMember } from '#json/index.ts';
import { CBC, decryptCbc, encryptCbc } from './cbc-cipher.ts';
import type { Crypto } from './crypto.ts';
import { ENCRYPTED, envelope, HASHED, openEnvelope } from './envelope.ts';
import { decryptGcm, encryptGcm, GCM } from './gcm-cipher.ts';
import { decryptForKeyPair } from './key-pair-envelope.ts';
import { DEFAULT_ALIAS, KeyRing, type KeyRingText } from './key-ring.ts';
import type { NoteUse } from './key-use.ts';
import { hashText, matchesPassword } from './password-hash.ts';

export interface CryptoOptions {
  readonly keyRing: KeyRingText;
  /** Default: `svc-sym-default`. */
  readonly defaultAlias?: string;
  /** Default: nobody is told. */
  readonly noteUse?: NoteUse;
}

export function openCrypto({ keyRing, defaultAlias = DEFAULT_ALIAS, noteUse }: CryptoOptions): Crypto {
  const keys = new KeyRing(keyRing);
  const isEncrypted = (value: JsonValue) => openEnvelope(ENCRYPTED, value) !== undefined;
  return {
    async encrypt(value, cipher, alias) {
      const key = keys.current(alias ?? defaultAlias);
      const form = cipherOf(cipher);
      const plain = Buffer.from(JSON.stringify(value));
      await noteUse?.(key);
      return envelope(ENCRYPTED, form === GCM ? encryptGcm(plain, key) : encryptCbc(plain, key));
    },
    decrypt: async (value) => decryptInside(value, keys),
    hash: (value, algorithm) =>
      hashText(typeof value === 'string' ? value : JSON.stringify(value), algorithm),
    isEncrypted,
    isHashed: (value) => openEnvelope(HASHED, value) !== undefined,
    matches: matchesPassword,
    isUpToDate(value, cipher, alias) {
      const stored = openEnvelope(ENCRYPTED, value);
      if (stored === undefined) return false;
      const key = keys.current(alias ?? defaultAlias);
      return (
        stored['cipher'] === cipherOf(cipher) && stored['key'] === key.alias && stored['keyId'] === key.id
      );
    },
  };
}

/** @throws BadRequestError for a cipher that is not written */
function cipherOf(cipher: string | null): typeof GCM | typeof CBC {
  const name = (cipher ?? GCM).toUpperCase();
  if (name === GCM.toUpperCase()) return GCM;
  if (name === CBC.toUpperCase()) return CBC;
  throw new BadRequestError(`Unknown cipher '${cipher}'`, {
    id: 'CRYPTO_UNKNOWN_CIPHER',
    hint: `Leave it null for ${GCM}; ${CBC} is possible too`,
  });
}

function decryptInside(value: JsonValue, keys: KeyRing): JsonValue {
  if (Array.isArray(value)) return value.map((entry) => decryptInside(entry, keys));
  if (!isObject(value)) return value;
  const encrypted = openEnvelope(ENCRYPTED, value);
  // What was encrypted may itself hold envelopes.
  if (encrypted !== undefined) return decryptInside(decryptEnvelope(encrypted, keys), keys);
  const copy: JsonObject = {};
  for (const [name, member] of Object.entries(value)) setMember(copy, name, decryptInside(member, keys));
  return copy;
}

function decryptEnvelope(value: JsonObject, keys: KeyRing): JsonValue {
  return JSON.parse(openToText(value, keys));
}

/**
 * The JSON text that an envelope holds; `value` is its inside.
 *
 * @throws InternalServerError when the ring lacks the key, or the envelope is damaged or of another kind
 */
export function openToText(value: JsonObject, keys: KeyRing): string {
  const alias = getMember(value, 'key');
  const cipher = getMember(value, 'cipher');
  if (typeof alias !== 'string') {
    const opened = decryptForKeyPair(value, keys);
    if (opened !== undefined) return opened.toString('utf8');
    throw new InternalServerError('A value encrypted with a public key cannot be read', {
      id: 'CRYPTO_UNSUPPORTED_ENVELOPE',
      hint: 'The ring has to have the private key by the same alias, which svc import keys brings',
    });
  }
  if (cipher !== GCM && cipher !== CBC) {
    throw new InternalServerError(`A value encrypted with '${String(cipher)}' cannot be read`, {
      id: 'CRYPTO_UNSUPPORTED_ENVELOPE',
      hint: `Known ciphers are ${GCM} and ${CBC}`,
    });
  }
  const plain = cipher === GCM ? decryptGcm(value, alias, keys) : decryptCbc(value, alias, keys, isJson);
  if (plain !== undefined) return plain.toString('utf8');
  throw new InternalServerError(
    `A value encrypted with '${alias}' cannot be decrypted: it is damaged, or was encrypted with another key`,
    { id: 'CRYPTO_DAMAGED' },
  );
}

function isJson(plain: Buffer): boolean {
  try {
    JSON.parse(plain.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}
