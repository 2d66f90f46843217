import { createDecipheriv, createHmac, hash, pbkdf2Sync, timingSafeEqual } from 'node:crypto';
import { type DerValue, derChildren, derNumber, derObjectId, derValues } from './der.ts';
import { KeystoreError, type KeystoreKey, MOST_ITERATIONS } from './keystore-key.ts';
import { pairOf } from './private-key.ts';

const DATA = '1.2.840.113549.1.7.1';
const PRIVATE_BAG = '1.2.840.113549.1.12.10.1.2';
const SECRET_BAG = '1.2.840.113549.1.12.10.1.5';
const FRIENDLY_NAME = '1.2.840.113549.1.9.20';
const PBES2 = '1.2.840.113549.1.5.13';
const OPTIONAL_KEY_LENGTH = 0x02;

const ALGORITHMS: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.1': 'AES',
  '2.16.840.1.101.3.4.1.2': 'AES',
  '2.16.840.1.101.3.4.1.22': 'AES',
  '2.16.840.1.101.3.4.1.42': 'AES',
};
const DIGESTS: Readonly<Record<string, string>> = {
  '1.2.840.113549.2.7': 'sha1',
  '1.2.840.113549.2.9': 'sha256',
  '1.2.840.113549.2.11': 'sha512',
};
const CIPHERS: Readonly<Record<string, { readonly name: string; readonly bytes: number }>> = {
  '2.16.840.1.101.3.4.1.2': { name: 'aes-128-cbc', bytes: 16 },
  '2.16.840.1.101.3.4.1.42': { name: 'aes-256-cbc', bytes: 32 },
};

/** The name of each checksum, by its object id, and how many bytes it takes at a time. */
const CHECKSUMS: Readonly<Record<string, readonly [name: string, block: number]>> = {
  '1.3.14.3.2.26': ['sha1', 64],
  '2.16.840.1.101.3.4.2.1': ['sha256', 64],
  '2.16.840.1.101.3.4.2.2': ['sha384', 128],
  '2.16.840.1.101.3.4.2.3': ['sha512', 128],
};
const FOR_MAC = 3;

/** The keys of a PKCS #12 file as newer versions of Java write it. @throws KeystoreError, also for another password */
export function readPkcs12(file: Buffer, password: string): KeystoreKey[] {
  const [, authenticated, mac] = derChildren(file);
  const content = dataOf(authenticated);
  if (mac === undefined)
    throw new KeystoreError('The keystore has no checksum: whoever can write it could put keys in');
  requireGenuine(content, mac, password);
  return derChildren(content).flatMap((part) => {
    const [type, content] = derValues(part.content);
    // Certificates stand in a part that is encrypted as a whole, and are not asked for.
    if (derObjectId(some(type)) !== DATA) return [];
    return derChildren(octets(content)).map((bag) => readBag(bag, password));
  });
}

/** @throws KeystoreError unless whoever has written all of it knew the password */
function requireGenuine(content: Buffer, mac: DerValue, password: string): void {
  const [digestInfo, salt, rounds] = derValues(mac.content);
  const [algorithm, stored] = derValues(some(digestInfo).content);
  const [id] = derValues(some(algorithm).content);
  const checksum = CHECKSUMS[derObjectId(some(id))];
  const iterations = rounds === undefined ? 1 : derNumber(rounds);
  if (checksum === undefined || iterations < 1 || iterations > MOST_ITERATIONS) {
    throw new KeystoreError('The checksum of the keystore is made in a way that is not known');
  }
  const [name] = checksum;
  const key = macKey(checksum, password, some(salt).content, iterations);
  const made = createHmac(name, key).update(content).digest();
  if (made.length !== some(stored).content.length || !timingSafeEqual(made, some(stored).content)) {
    throw new KeystoreError('The keystore has another password, or is damaged');
  }
}

/** RFC 7292, appendix B.2, for a key that is as long as the checksum. */
function macKey(
  [name, block]: readonly [name: string, block: number],
  password: string,
  salt: Buffer,
  iterations: number,
): Buffer {
  const filled = (bytes: Buffer) =>
    Buffer.alloc(Math.ceil(bytes.length / block) * block, bytes.length === 0 ? 0 : bytes);
  const text = Buffer.from(`${password}\0`, 'utf16le').swap16();
  let key = hash(name, Buffer.concat([Buffer.alloc(block, FOR_MAC), filled(salt), filled(text)]), 'buffer');
  for (let round = 1; round < iterations; round++) key = hash(name, key, 'buffer');
  return key;
}

function readBag(bag: DerValue, password: string): KeystoreKey {
  const [type, value, attributes] = derValues(bag.content);
  const alias = attributes === undefined ? '' : friendlyName(attributes);
  const kind = derObjectId(some(type));
  if (kind === PRIVATE_BAG) {
    return {
      alias,
      ...pairOf(() => {
        // What a tag is around is the sequence that the private key is encrypted in.
        const [how, encrypted] = derChildren(some(value).content);
        return decrypt(some(how), some(encrypted).content, password);
      }),
    };
  }
  if (kind !== SECRET_BAG) return { alias, algorithm: undefined, bytes: undefined };
  const [, secret] = derChildren(some(value).content);
  const [how, encrypted] = derChildren(octets(secret));
  const [, algorithm, key] = derChildren(decrypt(some(how), some(encrypted).content, password));
  const [id] = derValues(some(algorithm).content);
  const name = derObjectId(some(id));
  return { alias, algorithm: ALGORITHMS[name] ?? name, bytes: some(key).content };
}

function decrypt(how: DerValue, encrypted: Buffer, password: string): Buffer {
  const [scheme, parameters] = derValues(how.content);
  const id = derObjectId(some(scheme));
  if (id !== PBES2) {
    throw new KeystoreError(
      `A key is encrypted by '${id}', as older versions of Java do; keytool -importkeystore of Java 17 writes it anew`,
    );
  }
  const [derivation, cipher] = derValues(some(parameters).content);
  const [, settings] = derValues(some(derivation).content);
  const [salt, rounds, ...more] = derValues(some(settings).content);
  const [digest] = more.filter(({ tag }) => tag !== OPTIONAL_KEY_LENGTH);
  const [cipherId, iv] = derValues(some(cipher).content);
  const known = CIPHERS[derObjectId(some(cipherId))];
  const hash = digest === undefined ? 'sha1' : DIGESTS[derObjectId(some(derValues(digest.content)[0]))];
  const iterations = derNumber(some(rounds));
  if (known === undefined || hash === undefined || iterations > MOST_ITERATIONS) {
    throw new KeystoreError('A key is encrypted in a way that cannot be read');
  }
  const secret = pbkdf2Sync(password, some(salt).content, iterations, known.bytes, hash);
  const decipher = createDecipheriv(known.name, secret, some(iv).content);
  try {
    return Buffer.concat([decipher.update(encrypted), decipher.final()]);
  } catch (error) {
    throw new KeystoreError('The keystore has another password, or is damaged', { cause: error });
  }
}

function friendlyName({ content }: DerValue): string {
  for (const attribute of derValues(content)) {
    const [type, values] = derValues(attribute.content);
    if (derObjectId(some(type)) !== FRIENDLY_NAME) continue;
    const [name] = derValues(some(values).content);
    return Buffer.from(some(name).content).swap16().toString('utf16le');
  }
  return '';
}

/** The content of a ContentInfo of the type `data`. */
function dataOf(info: DerValue | undefined): Buffer {
  const [, content] = derValues(some(info).content);
  return octets(content);
}

/** The bytes of a text of octets with a tag around it. */
function octets(tagged: DerValue | undefined): Buffer {
  const [inner] = derValues(some(tagged).content);
  return some(inner).content;
}

function some(value: DerValue | undefined): DerValue {
  if (value === undefined) throw new KeystoreError('The keystore cannot be read');
  return value;
}
