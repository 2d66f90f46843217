import { ByteReader } from './byte-reader.ts';
import { KeystoreError } from './keystore-key.ts';

/** One value of DER. */
export interface DerValue {
  readonly tag: number;
  readonly content: Buffer;
}

const OBJECT_ID = 0x06;

/** The values that stand one after the other. @throws KeystoreError for what is no DER */
export function derValues(bytes: Buffer): DerValue[] {
  const reader = new ByteReader(bytes);
  const values: DerValue[] = [];
  while (!reader.isAtEnd) values.push(readValue(reader));
  return values;
}

/** The members of the one sequence that the bytes are. */
export function derChildren(bytes: Buffer): DerValue[] {
  const [sequence, ...more] = derValues(bytes);
  if (sequence === undefined || more.length > 0) throw new KeystoreError('The keystore cannot be read');
  return derValues(sequence.content);
}

function readValue(reader: ByteReader): DerValue {
  const tag = reader.number(1);
  const short = reader.number(1);
  if (short < 0x80) return { tag, content: reader.take(short) };
  const digits = short & 0x7f;
  if (digits === 0 || digits > 4) throw new KeystoreError('The keystore is not in DER');
  return { tag, content: reader.take(reader.take(digits).readUIntBE(0, digits)) };
}

export function derNumber({ content }: DerValue): number {
  if (content.length === 0 || content.length > 6)
    throw new KeystoreError('The keystore holds a number that is none');
  return content.readUIntBE(0, content.length);
}

/** `1.2.840.113549.1.7.1`. */
export function derObjectId({ tag, content }: DerValue): string {
  if (tag !== OBJECT_ID) throw new KeystoreError('The keystore cannot be read');
  const parts: number[] = [];
  let part = 0;
  for (const byte of content) {
    part = part * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    if (parts.length === 0) {
      const first = Math.min(2, Math.floor(part / 40));
      parts.push(first, part - first * 40);
    } else {
      parts.push(part);
    }
    part = 0;
  }
  return parts.join('.');
}
