import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ActivationError, didYouMean } from '#errors/index.ts';
import { KeyRing, type KeyRingText, SHIPPED_ALIASES } from './key-ring.ts';
import { isOfPair } from './key-ring-schema.ts';
import { type KeyRingPlace, openKeyRing, readKeyRing } from './open-key-ring.ts';
import { replaceFile } from './replace-file.ts';

/** What may be said of a key: never the key. */
export interface KeyListing {
  readonly alias: string;
  readonly id: string;
  readonly bits: number;
  /** It encrypts; the others only decrypt. */
  readonly isInUse: boolean;
}

const NEW_KEY_BYTES = 32;

export function listKeys(ring: KeyRingText): KeyListing[] {
  const keys = new KeyRing(ring);
  return keys.aliases.flatMap((alias) =>
    keys.all(alias).map(({ id, bytes }, at) => ({ alias, id, bits: bytes.length * 8, isInUse: at === 0 })),
  );
}

/**
 * Adds a new key to an alias of the file, or a new alias: behind the others, so that every node can be given it before
 * any of them uses it.
 *
 * @param isNew whether an alias that nobody knows is meant
 * @returns its id
 */
export async function addKey(place: KeyRingPlace, alias: string, isNew = false): Promise<string> {
  if (!/^[\w.-]+$/.test(alias)) throw refused(`'${alias}' is no alias`, 'Letters, digits, dots, dashes');
  const { text } = await openKeyRing(inFile(place));
  const known = [...new Set([...SHIPPED_ALIASES, ...Object.keys(text)])];
  if (!isNew && !known.includes(alias)) {
    const near = didYouMean(alias, known) ?? `There are ${known.join(', ')}`;
    throw refused(`The key ring has no alias '${alias}'`, `${near}; --new-alias makes one`);
  }
  if (text[alias]?.some(isOfPair) === true) throw ofPair(alias);
  const key = randomBytes(NEW_KEY_BYTES).toString('base64');
  await write(place, { ...text, [alias]: [...(text[alias] ?? []), key] });
  return new KeyRing({ [alias]: [key] }).current(alias).id;
}

/** Puts a key in use: from now on it encrypts, on each node as soon as that has been started again. */
export async function useKey(place: KeyRingPlace, alias: string, id: string | undefined): Promise<string> {
  const { text, missing } = await readKeyRing(inFile(place));
  if (missing !== undefined)
    throw refused(missing, 'SVC_DATA_DIR, or --data-dir, names the data folder of the nodes');
  const keys = text[alias];
  if (keys === undefined) {
    throw refused(
      `The key ring has no alias '${alias}'`,
      didYouMean(alias, Object.keys(text)) ?? 'See svc keys list',
    );
  }
  if (keys.some(isOfPair)) throw ofPair(alias);
  const ids = new KeyRing({ [alias]: keys }).all(alias).map((key) => key.id);
  const at = id === undefined ? ids.length - 1 : ids.indexOf(id);
  const [key, used] = [keys[at], ids[at]];
  if (key === undefined || used === undefined) {
    throw refused(`'${alias}' has no key ${id}`, `It has ${ids.join(', ')}`);
  }
  await write(place, { ...text, [alias]: [key, ...keys.filter((_key, other) => other !== at)] });
  return used;
}

/** Writes what is made of the ring of the file; nothing where that is undefined. */
export async function changeRing(
  place: KeyRingPlace,
  change: (text: KeyRingText) => KeyRingText | undefined,
): Promise<void> {
  const { text } = await openKeyRing(inFile(place));
  const changed = change(text);
  if (changed !== undefined) await write(place, changed);
}

function inFile(place: KeyRingPlace): KeyRingPlace {
  if (place.variable === undefined || place.variable.trim() === '') return place;
  throw refused(
    'The key ring is in SVC_KEYS',
    'Change it where it is kept: a new key is the Base64 of 32 random bytes; the first of an alias encrypts',
  );
}

async function write({ dataDirectory }: KeyRingPlace, ring: KeyRingText): Promise<void> {
  const file = join(dataDirectory, 'keys.json');
  const text = `${JSON.stringify(ring, null, 2)}\n`;
  await replaceFile(file, text, 0o600);
  if ((await readFile(file, 'utf8')) !== text)
    throw refused(`${file} was changed by somebody else`, 'Look at it');
}

function ofPair(alias: string): ActivationError {
  return refused(
    `'${alias}' is a pair of keys, which encrypts nothing here`,
    'svc import keys brings another',
  );
}

function refused(message: string, hint: string): ActivationError {
  return new ActivationError([{ id: 'CRYPTO_KEYS', where: '', message, hint }]);
}
