import { KeyRing, type KeyRingText, NEEDED_ALIASES, type OpenedKeyRing } from '#crypto/index.ts';
import type { Db } from '#database/index.ts';
import { ActivationError } from '#errors/index.ts';
import { firstOf } from '#json/index.ts';
import { listForeignRings, type OtherRing } from './node-repository.ts';

/**
 * A node that has no key in common with those that live knows none of their sessions and reads nothing of theirs, so it
 * does not come in. Of several that start at once with rings of their own the first one stays.
 *
 * @param which `all` before the node has joined, `earlier` afterwards
 * @throws ActivationError `CRYPTO_KEYS_DIFFER`
 */
export async function requireSharedRing(
  db: Db,
  nodeId: number,
  { text, place, madeFile }: OpenedKeyRing,
  which: 'all' | 'earlier',
): Promise<void> {
  const strangers = await listForeignRings(db, nodeId, ringOf(text), which);
  if (strangers.length === 0) return;
  const ring = madeFile === undefined ? place : `${place}, which was made just now because there was none`;
  throw new ActivationError([
    {
      id: 'CRYPTO_KEYS_DIFFER',
      where: '',
      message: `${ring}: the key ring has ${wordsOf(strangers)}`,
      hint: 'start this node with the SVC_KEYS or keys.json of the others. To change keys, add new ones beside those in use: svc keys --help. If this ring is the right one, stop the others first',
    },
  ]);
}

/**
 * Names the nodes with another key ring. How they joined cannot be changed any more: the later one is told to be not
 * ready.
 */
export async function foreignRings(db: Db, nodeId: number, text: KeyRingText): Promise<string | undefined> {
  const strangers = await listForeignRings(db, nodeId, ringOf(text), 'earlier');
  return strangers.length === 0 ? undefined : `the key ring has ${wordsOf(strangers)}`;
}

function ringOf(text: KeyRingText) {
  return { keys: new KeyRing(text).ids, needed: NEEDED_ALIASES };
}

function wordsOf(strangers: readonly OtherRing[]): string {
  const { node } = firstOf(strangers);
  const aliases = strangers.filter((one) => one.node === node).map(({ alias }) => `'${alias}'`);
  return `no key of ${aliases.join(', ')} in common with the live node ${node}`;
}
