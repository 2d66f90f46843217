/**
 * Secrets: encrypted values, hashes, and the keys they need.
 *
 * Words: an *envelope* is `{"$crypto": {type, value}}`; an *alias* names a list of keys, of which the first
 * encrypts and all decrypt; a *key ring* is all aliases. Invariants: keys leave this room for nowhere, neither
 * the database nor a log; what is written is authenticated; what Java servers of the family wrote can be read.
 */
export type { Crypto } from './crypto.ts';
export { deriveSecrets } from './derive-secrets.ts';
export { addKey, listKeys, useKey } from './edit-key-ring.ts';
export { hasEnvelope, isEnvelope, placeOfEnvelope } from './envelope.ts';
export { type ImportedKeys, importKeys } from './import-keys.ts';
export { isForKeyPair } from './key-pair-envelope.ts';
export { DEFAULT_ALIAS, KeyRing, type KeyRingText, NEEDED_ALIASES } from './key-ring.ts';
export { lackingKeys, noteUseIn, requireKeysInUse } from './key-use.ts';
export { forgetKey, forgetReplacedKeys, noteRotation } from './key-use-repository.ts';
export { KeystoreError } from './keystore/keystore-key.ts';
export { MOST_KEYSTORE_BYTES } from './keystore/read-keystore.ts';
export { openCrypto } from './open-crypto.ts';
export { type KeyRingPlace, type OpenedKeyRing, openKeyRing, readKeyRing } from './open-key-ring.ts';
export { hashPassword, isQuickHash, knowsHash, takesHash } from './password-hash.ts';
export { replaceFile } from './replace-file.ts';
export { type RewrapMemory, Rewrapper } from './rewrap.ts';
export { getSealedAt, isSeal, PRIVATE_SEAL, placeOfForeign, withoutSeals, withSeals } from './seal.ts';
export { openMembers, plainSecrets, sealMembers } from './sealed-members.ts';
export { isStandIn, secretMembers, standInOf } from './secret-members.ts';
export { HASHES_AT_ONCE } from './slow-hash.ts';
