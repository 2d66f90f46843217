import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { ConnectorError } from '../../contract.ts';

export type TextEncoding = 'utf-8' | 'utf-16le' | 'iso-8859-1';

const ENCODINGS: Readonly<Record<string, TextEncoding>> = {
  utf8: 'utf-8',
  'utf-8': 'utf-8',
  utf16: 'utf-16le',
  'utf-16': 'utf-16le',
  'utf-16le': 'utf-16le',
  latin1: 'iso-8859-1',
  'iso-8859-1': 'iso-8859-1',
  'us-ascii': 'utf-8',
};

/** What an encoding is called; undefined for one that cannot be written back. */
export function encodingNamed(name: string): TextEncoding | undefined {
  return ENCODINGS[name.toLowerCase()];
}

const MARKS = {
  'utf-8': Buffer.from([0xef, 0xbb, 0xbf]),
  'utf-16le': Buffer.from([0xff, 0xfe]),
} as const;

/** A mark at the beginning says what the file is written in, whatever is expected. */
export async function detectEncoding(
  file: FileHandle,
  expected: TextEncoding,
): Promise<{ readonly encoding: TextEncoding; readonly mark: Buffer }> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(3), 0, 3, 0);
  const start = buffer.subarray(0, bytesRead);
  for (const encoding of ['utf-8', 'utf-16le'] as const) {
    const mark = MARKS[encoding];
    if (start.subarray(0, mark.length).equals(mark)) return { encoding, mark };
  }
  return { encoding: expected, mark: Buffer.alloc(0) };
}

/** The text of a file without its mark. Bytes that are no text of the encoding end it: written back, they would be lost. */
export function decoded(file: FileHandle, encoding: TextEncoding, signal: AbortSignal): Readable {
  const bytes = file.createReadStream({ start: 0, autoClose: false, signal });
  return Readable.from(texts(bytes, encoding), { objectMode: false, encoding: 'utf8' });
}

async function* texts(bytes: AsyncIterable<Buffer>, encoding: TextEncoding): AsyncGenerator<string> {
  if (encoding === 'iso-8859-1') {
    for await (const chunk of bytes) yield chunk.toString('latin1');
    return;
  }
  const decoder = new TextDecoder(encoding, { fatal: true });
  for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

/** @throws ConnectorError `invalid` for letters that the encoding does not have */
export function encoded(text: string, encoding: TextEncoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text, 'utf8');
  if (encoding === 'utf-16le') return Buffer.from(text, 'utf16le');
  const strange = /[^\0-\xff]/u.exec(text)?.[0];
  if (strange === undefined) return Buffer.from(text, 'latin1');
  throw new ConnectorError('invalid', `'${strange}' cannot be written in ${encoding}`);
}
