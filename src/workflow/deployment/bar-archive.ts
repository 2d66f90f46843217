import { crc32 } from 'node:zlib';
import yauzl from 'yauzl';
import { BadRequestError, PayloadTooLargeError, wordsOf } from '#errors/index.ts';

/** How much an archive may hold; what is more is refused before it is unpacked. */
export interface ArchiveLimits {
  /** Bytes of the file itself. */
  readonly packedBytes: number;
  /** Bytes of all entries together, unpacked. */
  readonly totalBytes: number;
  /** Bytes of one entry, unpacked. */
  readonly entryBytes: number;
  readonly entries: number;
}

export const ARCHIVE_LIMITS: ArchiveLimits = {
  packedBytes: 20_000_000,
  totalBytes: 50_000_000,
  entryBytes: 10_000_000,
  entries: 1000,
};

const MAX_NAME = 255;
/** What packers of desktop systems leave behind. */
const LEFTOVER = /^__MACOSX\/|(^|\/)(\.DS_Store|Thumbs\.db)$/;

/**
 * Unpacks a `.bar` file (a zip) into its resources by name, in the order of the archive. Nothing is written
 * to disk, and archives inside the archive stay packed.
 *
 * @throws BadRequestError `WORKFLOW_BAD_ARCHIVE` for what is no zip, is damaged, encrypted, or has a name
 *   that leads out of the archive or stands twice; PayloadTooLargeError `WORKFLOW_ARCHIVE_TOO_LARGE`
 */
export async function readBarArchive(
  file: Uint8Array,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): Promise<ReadonlyMap<string, Buffer>> {
  if (file.byteLength > limits.packedBytes) {
    throw tooLarge(`has ${file.byteLength} bytes, more than ${limits.packedBytes}`);
  }
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const zip = await damaged(yauzl.fromBufferPromise(bytes));
  if (zip.entryCount > limits.entries) {
    throw tooLarge(`has ${zip.entryCount} entries, more than ${limits.entries}`);
  }
  const resources = new Map<string, Buffer>();
  let total = 0;
  const entries = zip.eachEntry();
  for (let next = await damaged(entries.next()); !next.done; next = await damaged(entries.next())) {
    const entry = next.value;
    const name = entry.fileName;
    checkName(name);
    if (name.endsWith('/') || LEFTOVER.test(name)) continue;
    if (resources.has(name)) throw badArchive(`holds '${name}' twice`);
    if (entry.uncompressedSize > limits.entryBytes) {
      throw tooLarge(`holds '${name}' with ${entry.uncompressedSize} bytes, more than ${limits.entryBytes}`);
    }
    total += entry.uncompressedSize;
    if (total > limits.totalBytes) throw tooLarge(`holds more than ${limits.totalBytes} bytes`);
    resources.set(name, await readEntry(zip, entry));
  }
  return resources;
}

/** The reader refuses names that are absolute or climb up; these are the others that nobody means well. */
function checkName(name: string): void {
  const shown = JSON.stringify(name.slice(0, 80));
  if (name === '' || name.length > MAX_NAME) {
    throw badArchive(`has a name of ${name.length} characters: ${shown}`, `Use 1 to ${MAX_NAME} characters`);
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(name)) throw badArchive(`has a name with control characters: ${shown}`);
  if (/(^|\/)\.?\//.test(name)) throw badArchive(`has a name with an empty part: ${shown}`);
}

/** The size that the entry declares bounds what is read: the reader stops a stream that gives more. */
async function readEntry(zip: yauzl.ZipFile, entry: yauzl.Entry): Promise<Buffer> {
  const { fileName: name } = entry;
  if (entry.isEncrypted()) throw badArchive(`holds '${name}', which is encrypted`);
  if (!entry.canDecodeFileData()) {
    throw badArchive(
      `holds '${name}', packed with method ${entry.compressionMethod}`,
      'Use deflate, the usual method of zip files',
    );
  }
  const content = await damaged(collect(await damaged(zip.openReadStreamPromise(entry))));
  if (crc32(content) !== entry.crc32) throw badArchive(`holds '${name}', which is damaged (checksum)`);
  return content;
}

async function collect(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function damaged<T>(work: Promise<T>): Promise<T> {
  return await work.catch((error: unknown) => {
    throw badArchive(`cannot be read: ${wordsOf(error)}`);
  });
}

function badArchive(problem: string, hint?: string): BadRequestError {
  return new BadRequestError(`The archive ${problem}`, {
    id: 'WORKFLOW_BAD_ARCHIVE',
    ...(hint === undefined ? {} : { hint }),
  });
}

function tooLarge(problem: string): PayloadTooLargeError {
  return new PayloadTooLargeError(`The archive ${problem}`, { id: 'WORKFLOW_ARCHIVE_TOO_LARGE' });
}
