import { createHash } from 'node:crypto';
import { InternalServerError, nearest } from '#errors/index.ts';

/** Encrypts configuration and properties unless they name another one. */
export const DEFAULT_ALIAS = 'svc-sym-default';

/** The aliases that a new ring is made with. */
export const SHIPPED_ALIASES = [
  DEFAULT_ALIAS,
  'svc-selfservice-key',
  'svc-jwtsessionhmac-key',
  'svc-audit-key',
] as const;

/** Without a key of these in common nodes know none of each other's sessions, and read nothing that another has encrypted. */
export const NEEDED_ALIASES = [DEFAULT_ALIAS, 'svc-jwtsessionhmac-key'] as const;

/**
 * A ring as it is kept: for each alias its keys in Base64, the one in use first, replaced ones after it. A private key (PKCS #8)
 * opens what others have encrypted for its pair, and nothing else is done with it.
 */
export type KeyRingText = Readonly<Record<string, readonly string[]>>;

const LONGEST_SECRET = 32;

export interface Key {
  readonly alias: string;
  /** Tells keys apart and nothing about them: the beginning of a hash. Stored in envelopes as `keyId`. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** The keys of this node. All nodes on one database need the same ring. */
export class KeyRing {
  readonly #keys = new Map<string, readonly Key[]>();
  readonly #pairs = new Map<string, readonly Key[]>();

  constructor(text: KeyRingText) {
    for (const [alias, texts] of Object.entries(text)) {
      const keys = texts.map((key) => {
        const bytes = Buffer.from(key, 'base64');
        return { alias, id: idOf(bytes), bytes };
      });
      (keys.some(({ bytes }) => isPrivateKey(bytes)) ? this.#pairs : this.#keys).set(alias, keys);
    }
  }

  /** Private keys, which open what was encrypted for their pair. */
  get everyPair(): readonly Key[] {
    return [...this.#pairs.values()].flat();
  }

  pairsOf(alias: string): readonly Key[] {
    return this.#pairs.get(alias) ?? [];
  }

  get aliases(): readonly string[] {
    return [...this.#keys.keys()];
  }

  get everyKey(): readonly Key[] {
    return [...this.#keys.values()].flat();
  }

  /** The ids of an alias' keys, the one in use first. */
  get ids(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries([...this.#keys].map(([alias, keys]) => [alias, keys.map(({ id }) => id)]));
  }

  /** The key in use. @throws InternalServerError when the ring lacks the alias */
  current(alias: string): Key {
    return this.all(alias)[0]!;
  }

  /** The key in use and those it replaced. @throws InternalServerError when the ring lacks the alias */
  all(alias: string): readonly Key[] {
    const keys = this.#keys.get(alias);
    if (keys !== undefined && keys.length > 0) return keys;
    if (this.aliases.length === 0) {
      throw new InternalServerError(`This node has no key ring, so nothing can be encrypted or decrypted`, {
        id: 'CRYPTO_NO_KEY_RING',
        hint: SAME_RING,
      });
    }
    const meant = nearest(alias, this.aliases);
    throw new InternalServerError(`The key ring of this node has no key '${alias}'`, {
      id: 'CRYPTO_UNKNOWN_ALIAS',
      hint: meant === undefined ? SAME_RING : `Did you mean '${meant}'? ${SAME_RING}`,
    });
  }

  /** @throws InternalServerError when the ring lacks the key */
  get(alias: string, id: string): Key {
    const key = this.all(alias).find((candidate) => candidate.id === id);
    if (key !== undefined) return key;
    throw new InternalServerError(
      `The value was encrypted with key ${id} of '${alias}', which the key ring of this node lacks`,
      { id: 'CRYPTO_UNKNOWN_KEY', hint: SAME_RING },
    );
  }
}

export const SAME_RING =
  'All nodes on one database need the same key ring: set SVC_KEYS on each of them, or give each the same keys.json';

/** Keys for AES are shorter. */
export function isPrivateKey(bytes: Buffer): boolean {
  return bytes.length > LONGEST_SECRET;
}

function idOf(bytes: Buffer): string {
  return createHash('sha256').update('svc key id').update(bytes).digest('hex').slice(0, 12);
}
