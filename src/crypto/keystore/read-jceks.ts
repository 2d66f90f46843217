import { createDecipheriv, hash, timingSafeEqual } from 'node:crypto';
import { ByteReader } from './byte-reader.ts';
import { type DerValue, derChildren, derNumber, derObjectId, derValues } from './der.ts';
import { readJavaObject } from './java-object.ts';
import { KeystoreError, type KeystoreKey, MOST_ITERATIONS } from './keystore-key.ts';
import { pairOf } from './private-key.ts';

export const JCEKS_MAGIC = 0xcececece;
const DIGEST_BYTES = 20;
/** PBEWithMD5AndTripleDES. */
const PBE_OF_SUN = '1.3.6.1.4.1.42.2.19.1';
const WHITENER = Buffer.from('Mighty Aphrodite');

/** The keys of a JCEKS file. @throws KeystoreError, also for another password */
export function readJceks(file: Buffer, password: string): KeystoreKey[] {
  const body = file.subarray(0, -DIGEST_BYTES);
  const digest = hash(
    'sha1',
    Buffer.concat([Buffer.from(password, 'utf16le').swap16(), WHITENER, body]),
    'buffer',
  );
  const stored = file.subarray(-DIGEST_BYTES);
  if (stored.length !== DIGEST_BYTES || !timingSafeEqual(digest, stored)) {
    throw new KeystoreError('The keystore has another password, or is damaged');
  }
  const reader = new ByteReader(body);
  reader.take(4);
  const version = reader.number(4);
  const count = reader.number(4);
  const keys: KeystoreKey[] = [];
  for (let entry = 0; entry < count; entry++) keys.push(readEntry(reader, version, password));
  return keys;
}

function readEntry(reader: ByteReader, version: number, password: string): KeystoreKey {
  const tag = reader.number(4);
  const alias = reader.text();
  reader.take(8);
  if (tag === 3) {
    // Serialized objects do not say how long they are, so this one is read to its end.
    const [bytes, algorithm] = unseal(reader, password);
    return { alias, algorithm, bytes };
  }
  const certificate = () => {
    if (version === 2) reader.text();
    reader.take(reader.number(4));
  };
  if (tag !== 1) {
    certificate();
    return { alias, algorithm: undefined, bytes: undefined };
  }
  const protectedKey = reader.take(reader.number(4));
  const chain = reader.number(4);
  for (let at = 0; at < chain; at++) certificate();
  return { alias, ...pairOf(() => unprotect(protectedKey, password)) };
}

function unseal(reader: ByteReader, password: string): [key: Buffer, algorithm: string] {
  const sealed = readJavaObject(reader);
  const [parameters, content] = [sealed.get('encodedParams'), sealed.get('encryptedContent')];
  if (sealed.get('sealAlg') !== 'PBEWithMD5AndTripleDES' || !isBytes(parameters) || !isBytes(content)) {
    throw new KeystoreError(`A key is sealed by '${String(sealed.get('sealAlg'))}', which cannot be read`);
  }
  const key = readJavaObject(new ByteReader(decrypt(derChildren(parameters), content, password)));
  const [bytes, algorithm] = [key.get('key'), key.get('algorithm')];
  if (!isBytes(bytes) || typeof algorithm !== 'string') throw new KeystoreError('A key cannot be read');
  return [bytes, algorithm];
}

/** A private key has its algorithm beside it, by the same that seals others. */
function unprotect(bytes: Buffer, password: string): Buffer {
  const [how, content] = derChildren(bytes);
  const [id, parameters] = derValues(how?.content ?? Buffer.alloc(0));
  if (id === undefined || derObjectId(id) !== PBE_OF_SUN || parameters === undefined || content === undefined)
    throw new KeystoreError('A private key is protected in a way that cannot be read');
  return decrypt(derValues(parameters.content), content.content, password);
}

function decrypt([salt, rounds]: readonly DerValue[], content: Buffer, password: string): Buffer {
  if (salt === undefined || rounds === undefined || salt.content.length !== 8) {
    throw new KeystoreError('A key has been sealed with other parameters than are known');
  }
  const derived = deriveTripleDes(salt.content, derNumber(rounds), password);
  const decipher = createDecipheriv('des-ede3-cbc', derived.subarray(0, 24), derived.subarray(24));
  return Buffer.concat([decipher.update(content), decipher.final()]);
}

/** As the provider of Java does it, with its mistake: of equal halves of the salt the first is turned around, but not quite. */
function deriveTripleDes(salt: Buffer, rounds: number, password: string): Buffer {
  if (rounds < 1 || rounds > MOST_ITERATIONS) throw new KeystoreError(`A key has ${rounds} iterations`);
  const [first, second] = [Buffer.from(salt.subarray(0, 4)), Buffer.from(salt.subarray(4))];
  if (first.equals(second)) first.set([first.readUInt8(3), first.readUInt8(0), first.readUInt8(1)]);
  const secret = Buffer.from(password, 'latin1');
  const digest = (half: Buffer) => {
    let made = hash('md5', Buffer.concat([half, secret]), 'buffer');
    const next = Buffer.concat([made, secret]);
    for (let round = 1; round < rounds; round++) {
      made.copy(next);
      made = hash('md5', next, 'buffer');
    }
    return made;
  };
  return Buffer.concat([digest(first), digest(second)]);
}

function isBytes(value: unknown): value is Buffer {
  return Buffer.isBuffer(value);
}
