import { createHash, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { DEFAULT_ALIAS, deriveSecrets, type KeyRingText } from '#crypto/index.ts';

/** The keys of this alias sign; a ring without it signs with those for values. */
const ALIAS = 'svc-audit-key';
const PURPOSE = 'audit trail';
/** What a node without any key signs with: it shows accidents, and no attack. */
const NO_KEY = { id: 'unsigned', secret: createSecretKey(new Uint8Array(32)) };

export type SignatureCheck = 'right' | 'wrong' | 'unknown key' | 'no key';

/** Signs entries and seals. Keys are in the key ring and not in the database, so whoever has only that can sign nothing. */
export class AuditKeys {
  readonly #keys: ReadonlyMap<string, KeyObject>;
  readonly #current: { readonly id: string; readonly secret: KeyObject };

  constructor(ring: KeyRingText) {
    const keys = [ALIAS, DEFAULT_ALIAS]
      .flatMap((alias) => deriveSecrets(ring, alias, PURPOSE))
      // From bytes an HMAC takes seven times as long.
      .map((secret) => ({ id: idOf(secret), secret: createSecretKey(secret) }));
    this.#current = keys[0] ?? NO_KEY;
    this.#keys = new Map(keys.map(({ id, secret }) => [id, secret]));
  }

  /** `<key id>.<HMAC>` */
  sign(text: string): string {
    return `${this.#current.id}.${hmac(this.#current.secret, text)}`;
  }

  /** Whether to go on from what has this signature. */
  trusts(check: SignatureCheck): boolean {
    return check === 'right' || (check === 'no key' && this.#current === NO_KEY);
  }

  check(text: string, signature: string): SignatureCheck {
    const [id = '', given = ''] = signature.split('.', 2);
    const secret = id === NO_KEY.id ? NO_KEY.secret : this.#keys.get(id);
    if (secret === undefined) return 'unknown key';
    const [right, shown] = [Buffer.from(hmac(secret, text)), Buffer.from(given)];
    if (right.length !== shown.length || !timingSafeEqual(right, shown)) return 'wrong';
    return id === NO_KEY.id ? 'no key' : 'right';
  }
}

function hmac(secret: KeyObject, text: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url');
}

function idOf(secret: Uint8Array): string {
  return createHash('sha256').update('svc audit key id').update(secret).digest('hex').slice(0, 12);
}
