import type { JsonObject } from '#json/index.ts';
import { encryptCbc } from './cbc-cipher.ts';
import { ENCRYPTED, envelope, openEnvelope } from './envelope.ts';
import { encryptGcm, GCM } from './gcm-cipher.ts';
import { KeyRing, type KeyRingText } from './key-ring.ts';
import { openToText } from './open-crypto.ts';
import { findEnvelopes } from './written-envelope.ts';

/** What became of a text with envelopes in it. */
export interface Rewrapped {
  /** The very same text when all of them were under keys in use. */
  readonly text: string;
  /** Envelopes in it, those inside others not counted. */
  readonly sealed: number;
  readonly rewrapped: number;
  /** Why the others are still under older keys. */
  readonly failures: readonly string[];
}

/** What an envelope that was met before in the same row has become, so that equal values stay equal. */
export type RewrapMemory = Map<string, JsonObject>;

/**
 * Encrypts what older keys have encrypted with the keys in use, each value under its own alias and with its own cipher.
 * It works on written text, wherever in it an envelope stands, and leaves every other character as it is.
 */
export class Rewrapper {
  readonly #keys: KeyRing;

  constructor(ring: KeyRingText) {
    this.#keys = new KeyRing(ring);
  }

  /** Never fails: what cannot be encrypted again stays, and is told of. */
  rewrap(text: string, memory: RewrapMemory = new Map()): Rewrapped {
    const { envelopes, unreadable } = findEnvelopes(text);
    const failures = unreadable.map(
      (at) => `an encrypted value at character ${at} is written in a way that cannot be read`,
    );
    let result = '';
    let end = 0;
    let sealed = 0;
    let rewrapped = 0;
    for (const found of envelopes) {
      const inner = openEnvelope(ENCRYPTED, found.json);
      if (inner === undefined) continue;
      sealed += 1;
      try {
        const known = JSON.stringify(found.json);
        const now = memory.get(known) ?? this.#envelope(inner);
        if (now === undefined) continue;
        memory.set(known, now);
        result += text.slice(end, found.start) + found.write(now);
        end = found.end;
        rewrapped += 1;
      } catch (error) {
        failures.push((error as Error).message);
      }
    }
    return { text: rewrapped === 0 ? text : result + text.slice(end), sealed, rewrapped, failures };
  }

  /** What was encrypted may itself hold envelopes, which can only be seen by opening the outer one. */
  #envelope(inner: JsonObject): JsonObject | undefined {
    const plain = openToText(inner, this.#keys);
    const within = this.rewrap(plain);
    if (within.failures.length > 0) throw new Error(within.failures.join('; '));
    const key = this.#keys.current(String(inner['key']));
    if (within.rewrapped === 0 && inner['keyId'] === key.id) return undefined;
    const bytes = Buffer.from(within.text);
    return envelope(ENCRYPTED, inner['cipher'] === GCM ? encryptGcm(bytes, key) : encryptCbc(bytes, key));
  }
}
