import type { Database } from '#database/index.ts';
import { ActivationError, InternalServerError } from '#errors/index.ts';
import { type Key, KeyRing, type KeyRingText, SAME_RING } from './key-ring.ts';
import { findLackingKeys, type KeyIds, noteKeyUse, type UsedKey } from './key-use-repository.ts';

/** Told before the first value is encrypted with a key. */
export type NoteUse = (key: Key) => Promise<void>;

/**
 * Has the database remember under which keys something may be stored; it asks once for each key and thread. Whoever
 * lacks one of them encrypts nothing, because the nodes that have stored something could not read it.
 */
export function noteUseIn(database: Database, ring: KeyRingText, node: string): NoteUse {
  const { ids } = new KeyRing(ring);
  const noted = new Map<string, Promise<void>>();
  const note = async ({ alias, id }: Key) => {
    const [lacking] = await noteKeyUse(database.db, { alias, id, by: node, ring: ids[alias] ?? [] });
    if (lacking === undefined) return;
    throw new InternalServerError(`Nothing is encrypted by this node: ${lacks(lacking)}`, {
      id: 'CRYPTO_UNKNOWN_KEY',
      hint: SAME_RING,
    });
  };
  return (key) => {
    const known = noted.get(key.id);
    if (known !== undefined) return known;
    const asked = note(key);
    noted.set(key.id, asked);
    asked.catch(() => noted.delete(key.id));
    return asked;
  };
}

/** What the ring lacks of the keys under which something may be stored, in words; undefined when it has them all. */
export async function lackingKeys(database: Database, ids: KeyIds): Promise<string | undefined> {
  const lacking = await findLackingKeys(database.db, ids);
  return lacking.length === 0 ? undefined : lacking.map(lacks).join('; ');
}

/**
 * Refuses to start where values could not be read and what is written could be read by nobody else.
 *
 * @param place where the ring is kept
 * @throws ActivationError that names the keys that the ring lacks
 */
export async function requireKeysInUse(database: Database, ids: KeyIds, place: string): Promise<void> {
  const lacking = await findLackingKeys(database.db, ids);
  if (lacking.length === 0) return;
  throw new ActivationError(
    lacking.map((key) => ({
      id: 'CRYPTO_KEY_MISSING',
      where: '',
      message: `${place}: ${lacks(key)}`,
      hint: `start this node with the SVC_KEYS or keys.json of the others, or with the one that was backed up. Only if the key is lost for ever: svc keys forget ${key.alias} ${key.id}, after which values under it stay unreadable`,
    })),
  );
}

function lacks({ alias, id, by }: UsedKey): string {
  return `the key ring lacks key ${id} of '${alias}', under which ${by} has stored values in this database`;
}
