import { ResourceError, wordsOf } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { encryptCbc } from './cbc-cipher.ts';
import { ENCRYPTED, envelope, openEnvelope } from './envelope.ts';
import { encryptGcm, GCM } from './gcm-cipher.ts';
import { findGenuine } from './genuine-seal.ts';
import { KeyRing, type KeyRingText } from './key-ring.ts';
import { openToText } from './open-crypto.ts';
import { findEnvelopes } from './written-envelope.ts';

/** What became of a text with envelopes in it. */
export interface Rewrapped {
  /** The very same text when all of them were under keys in use. */
  readonly text: string;
  /** What keys of the ring have sealed, what is inside of others not counted. */
  readonly sealed: number;
  /** The key of each of these, `<alias>:<id>`, in the text that was given and in this one. */
  readonly keys: readonly { readonly before: string; readonly after: string }[];
  readonly rewrapped: number;
  /** Why what the ring has sealed is still under an older key. */
  readonly failures: readonly string[];
  /** Why the first value that looks encrypted cannot be opened with any key of the ring; absent where there is none. */
  readonly foreign?: string;
}

/** What an envelope that was met before in the same row has become, so that equal values stay equal. */
export type RewrapMemory = Map<string, JsonObject>;

/**
 * Encrypts what older keys have encrypted with the keys in use, each value under its own alias and with its own cipher.
 * It works on written text, wherever in it an envelope stands, and leaves every other character as it is. Users write
 * what they like, so that something looks sealed says nothing: what counts is that a key of the ring opens it.
 */
export class Rewrapper {
  readonly #keys: KeyRing;

  constructor(ring: KeyRingText) {
    this.#keys = new KeyRing(ring);
  }

  /** Never fails: what cannot be encrypted again stays, and is told of. */
  rewrap(text: string, memory: RewrapMemory = new Map()): Rewrapped {
    const failures: string[] = [];
    let result = '';
    let end = 0;
    const keys: Rewrapped['keys'][number][] = [];
    let rewrapped = 0;
    let foreign: string | undefined;
    /** All that no envelope was read from. */
    let rest = '';
    let restFrom = 0;
    for (const found of findEnvelopes(text)) {
      const inner = openEnvelope(ENCRYPTED, found.json);
      if (inner === undefined) continue;
      // Whoever has encrypted it for a pair of keys does so anew, or it is protected as its type says when it is written.
      if (typeof inner['key'] !== 'string') {
        foreign ??= 'A value that was encrypted for a pair of keys stays as it is';
        continue;
      }
      const plain = this.#open(inner);
      if (plain instanceof Error) {
        foreign ??= plain.message;
        continue;
      }
      const before = `${String(inner['key'])}:${String(inner['keyId'] ?? 'unnamed')}`;
      rest += `${text.slice(restFrom, found.start)}\n`;
      restFrom = found.end;
      try {
        const known = JSON.stringify(found.json);
        const now = memory.get(known) ?? this.#envelope(inner, plain);
        keys.push({ before, after: now === undefined ? before : this.#nameOf(String(inner['key'])) });
        if (now === undefined) continue;
        memory.set(known, now);
        result += text.slice(end, found.start) + found.write(now);
        end = found.end;
        rewrapped += 1;
      } catch (error) {
        keys.push({ before, after: before });
        failures.push(wordsOf(error));
      }
    }
    for (const { key, plain } of findGenuine(rest + text.slice(restFrom), this.#keys)) {
      const name = `${key.alias}:${key.id}`;
      keys.push({ before: name, after: name });
      const within = this.rewrap(plain.toString('utf8'));
      const isOld = key.id !== this.#keys.current(key.alias).id || within.rewrapped > 0;
      if (isOld) failures.push(unwritable(key.id, key.alias));
      failures.push(...within.failures);
    }
    return {
      text: rewrapped === 0 ? text : result + text.slice(end),
      sealed: keys.length,
      keys,
      rewrapped,
      failures,
      ...(foreign === undefined ? {} : { foreign }),
    };
  }

  #nameOf(alias: string): string {
    return `${alias}:${this.#keys.current(alias).id}`;
  }

  /** The text that a key of the ring has sealed, or why there is none. */
  #open(inner: JsonObject): string | Error {
    try {
      return openToText(inner, this.#keys);
    } catch (error) {
      if (error instanceof ResourceError) return error;
      throw error;
    }
  }

  /** What was encrypted may itself hold envelopes, which can only be seen by opening the outer one. */
  #envelope(inner: JsonObject, plain: string): JsonObject | undefined {
    const within = this.rewrap(plain);
    if (within.failures.length > 0) throw new Error(within.failures.join('; '));
    const key = this.#keys.current(String(inner['key']));
    if (within.rewrapped === 0 && inner['keyId'] === key.id) return undefined;
    const bytes = Buffer.from(within.text);
    return envelope(ENCRYPTED, inner['cipher'] === GCM ? encryptGcm(bytes, key) : encryptCbc(bytes, key));
  }
}

function unwritable(id: string, alias: string): string {
  return `a value under key ${id} of '${alias}' is written in a way that cannot be replaced: encrypt it anew by hand`;
}
