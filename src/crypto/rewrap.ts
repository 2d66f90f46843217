import { isObject, type JsonObject, type JsonValue, setMember } from '#json/index.ts';
import { encryptCbc } from './cbc-cipher.ts';
import { ENCRYPTED, envelope, openEnvelope } from './envelope.ts';
import { encryptGcm, GCM } from './gcm-cipher.ts';
import { KeyRing, type KeyRingText } from './key-ring.ts';
import { decryptEnvelope } from './open-crypto.ts';

/** Encrypts what older keys have encrypted with the keys in use, each under its own alias and with its own cipher. */
export class Rewrapper {
  readonly #keys: KeyRing;

  constructor(ring: KeyRingText) {
    this.#keys = new KeyRing(ring);
  }

  /**
   * The value with all envelopes inside under keys in use; the very same value when they were already.
   *
   * @throws InternalServerError when the ring lacks a key, or an envelope is damaged
   */
  rewrap(value: JsonValue): JsonValue {
    if (Array.isArray(value)) {
      const entries = value.map((entry) => this.rewrap(entry));
      return entries.some((entry, at) => entry !== value[at]) ? entries : value;
    }
    if (!isObject(value)) return value;
    const inner = openEnvelope(ENCRYPTED, value);
    if (inner !== undefined) return this.#envelope(value, inner);
    const copy: JsonObject = {};
    let changed = false;
    for (const [name, member] of Object.entries(value)) {
      const rewrapped = this.rewrap(member);
      changed ||= rewrapped !== member;
      setMember(copy, name, rewrapped);
    }
    return changed ? copy : value;
  }

  /** What was encrypted may itself hold envelopes, which can only be seen by opening the outer one. */
  #envelope(outer: JsonObject, inner: JsonObject): JsonObject {
    const plain = decryptEnvelope(inner, this.#keys);
    const rewrapped = this.rewrap(plain);
    const key = this.#keys.current(String(inner['key']));
    if (rewrapped === plain && inner['keyId'] === key.id) return outer;
    const bytes = Buffer.from(JSON.stringify(rewrapped));
    const value = inner['cipher'] === GCM ? encryptGcm(bytes, key) : encryptCbc(bytes, key);
    return envelope(ENCRYPTED, value);
  }
}
