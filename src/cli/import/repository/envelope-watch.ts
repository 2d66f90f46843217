import { type Crypto, KeyRing, type KeyRingText, knowsHash, noteUseIn, takesHash } from '#crypto/index.ts';
import type { Database } from '#database/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { envelopesIn } from './convert-object.ts';
import { remark } from './foreign-object.ts';
import type { Item } from './item.ts';
import type { Tally } from './tally.ts';

/** What of an envelope many values have in common. */
const HOW = [
  'algorithm',
  'key',
  'cipher',
  'iterations',
  'memory',
  'passes',
  'cost',
  'blockSize',
  'parallelization',
];

/**
 * Encrypted and hashed values come as they are. Whether they can be read here is tried with the first of each property and
 * key.
 */
export class EnvelopeWatch {
  readonly #crypto: Pick<Crypto, 'decrypt'>;
  readonly #tally: Tally;
  readonly #tried = new Set<string>();
  readonly #aliases = new Set<string>();

  constructor(crypto: Pick<Crypto, 'decrypt'>, tally: Tally) {
    this.#crypto = crypto;
    this.#tally = tally;
  }

  async look(about: string, item: Item): Promise<void> {
    for (const [property, envelope] of envelopesIn(item)) {
      const value = isObject(envelope['value']) ? envelope['value'] : {};
      const how = HOW.map((name) => howOf(value[name]));
      const named = [envelope['type'], ...how].map((one) => JSON.stringify(one));
      const key = [about, property, ...named].join(' ');
      if (typeof value['key'] === 'string') this.#aliases.add(value['key']);
      if (this.#tried.has(key)) continue;
      this.#tried.add(key);
      const reason = await this.#troubleOf(property, envelope, value);
      if (reason !== undefined) this.#tally.remark(remark(about, item.id, reason));
    }
  }

  async #troubleOf(property: string, envelope: JsonObject, value: JsonObject): Promise<string | undefined> {
    if (envelope['type'] === 'salted-hash') {
      const algorithm = String(value['algorithm']);
      if (takesHash(value)) return undefined;
      const why = knowsHash(algorithm) ? 'at costs that nobody compares here' : 'which is not known here';
      return `'${property}' is hashed by ${algorithm}, ${why}: whoever has such a password needs a new one`;
    }
    try {
      await this.#crypto.decrypt({ $crypto: envelope });
      return undefined;
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      return `'${property}' comes and cannot be read here (${said}): svc import keys first, or it has to be set anew`;
    }
  }

  /** Has nodes refuse to start without the keys under which something has come. */
  async noteKeys(database: Database, ring: KeyRingText): Promise<void> {
    const note = noteUseIn(database, ring, 'svc import');
    for (const key of new KeyRing(ring).everyKey) if (this.#aliases.has(key.alias)) await note(key);
  }
}

/** How a value is encrypted; for a key that was made for this value alone, the pair for which that is encrypted, and how. */
function howOf(member: JsonValue | undefined): readonly (JsonValue | undefined)[] {
  return isObject(member) ? [member['cipher'], member['key']] : [member];
}
