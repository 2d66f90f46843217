import { KeystoreError, type KeystoreKey } from './keystore-key.ts';
import { JCEKS_MAGIC, readJceks } from './read-jceks.ts';
import { readPkcs12 } from './read-pkcs12.ts';

const DER_SEQUENCE = 0x30;
/** Some thousand keys: it is read at once, and all of it is hashed. */
export const MOST_KEYSTORE_BYTES = 4_194_304;

/** The keys of a keystore of Java, JCEKS or PKCS #12, without Java. @throws KeystoreError */
export function readKeystore(file: Buffer, password: string): KeystoreKey[] {
  if (file.length > MOST_KEYSTORE_BYTES)
    throw new KeystoreError(`It has more than ${MOST_KEYSTORE_BYTES} bytes, which is no keystore`);
  if (file.length > 4 && file.readUInt32BE(0) === JCEKS_MAGIC) return readJceks(file, password);
  if (file[0] === DER_SEQUENCE) return readPkcs12(file, password);
  throw new KeystoreError('It is neither a JCEKS nor a PKCS #12 file');
}
