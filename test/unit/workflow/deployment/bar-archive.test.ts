import { buffer } from 'node:stream/consumers';
import { crc32, deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import yazl from 'yazl';
import { ARCHIVE_LIMITS, readBarArchive } from '../../../../src/workflow/deployment/bar-archive.ts';

async function pack(files: Readonly<Record<string, string>>, directories: readonly string[] = []) {
  const zip = new yazl.ZipFile();
  for (const directory of directories) zip.addEmptyDirectory(directory);
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  return await buffer(zip.outputStream as AsyncIterable<Uint8Array> & NodeJS.ReadableStream);
}

interface RawEntry {
  readonly name: string;
  readonly content?: Buffer;
  readonly method?: number;
  readonly flags?: number;
  /** What the headers claim, where it is not the truth. */
  readonly size?: number;
  readonly crc?: number;
}

/** A zip file as no honest packer writes it. */
function forge(entries: readonly RawEntry[]): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const { name, content = Buffer.alloc(0), method = 8, flags = 0x800, size, crc } of entries) {
    const packed = method === 8 ? deflateRawSync(content) : content;
    const nameBytes = Buffer.from(name);
    const facts = Buffer.alloc(22);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(flags, 2);
    facts.writeUInt16LE(method, 4);
    facts.writeUInt32LE(crc ?? crc32(content), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(size ?? content.length, 18);
    const lengths = Buffer.alloc(4);
    lengths.writeUInt16LE(nameBytes.length, 0);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), facts, lengths, nameBytes, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    centrals.push(
      Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 0]), facts, lengths, tail.subarray(0, 14)]),
    );
    centrals.push(nameBytes);
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

const read = (file: Uint8Array, limits = {}) => readBarArchive(file, { ...ARCHIVE_LIMITS, ...limits });

describe('an archive of process files', () => {
  test('gives its files by name and leaves out folders and leftovers of desktops', async () => {
    const file = await pack(
      {
        'leave.bpmn20.xml': '<definitions/>',
        'forms/ask.html': '<form>Grüße</form>',
        '__MACOSX/._x': '',
        '.DS_Store': '',
      },
      ['forms/'],
    );
    const resources = await readBarArchive(file);
    expect([...resources].map(([name, bytes]) => [name, bytes.toString()])).toEqual([
      ['leave.bpmn20.xml', '<definitions/>'],
      ['forms/ask.html', '<form>Grüße</form>'],
    ]);
  });

  test('may be empty, and may hold an archive, which stays packed', async () => {
    expect((await readBarArchive(await pack({}))).size).toBe(0);
    const inner = forge([{ name: 'huge', content: Buffer.alloc(1_000_000) }]);
    const resources = await read(forge([{ name: 'inner.zip', content: inner }]), { totalBytes: 10_000 });
    expect(resources.get('inner.zip')).toEqual(inner);
  });

  test('a forged archive is read like a packed one where it tells the truth', async () => {
    const resources = await readBarArchive(
      forge([
        { name: 'a', content: Buffer.from('one') },
        { name: 'b', content: Buffer.from('two'), method: 0 },
      ]),
    );
    expect([...resources.values()].map(String)).toEqual(['one', 'two']);
  });
});

describe('hostile archives are refused with a reason:', () => {
  test.each<[string, readonly RawEntry[], RegExp]>([
    ['a name that climbs up', [{ name: '../../etc/passwd' }], /invalid relative path/],
    ['a name that climbs up with backslashes', [{ name: '..\\..\\evil' }], /invalid relative path/],
    ['an absolute name', [{ name: '/etc/passwd' }], /absolute path/],
    ['a drive letter', [{ name: 'C:/windows/x' }], /absolute path/],
    ['a name with a null character', [{ name: 'a.xml\0.png' }], /control characters/],
    ['a name with a line end', [{ name: 'a\nb' }], /control characters/],
    ['an empty name', [{ name: '' }], /name of 0 characters/],
    ['an endless name', [{ name: 'a'.repeat(300) }], /name of 300 characters/],
    ['an empty part of a name', [{ name: 'a//b' }], /empty part/],
    ['the same name twice', [{ name: 'a' }, { name: 'a' }], /holds 'a' twice/],
    ['the same name twice, once with a backslash', [{ name: 'a/b' }, { name: 'a\\b' }], /'a\/b' twice/],
    ['an encrypted entry', [{ name: 'a', flags: 0x801 }], /'a', which is encrypted/],
    ['a method that nobody unpacks', [{ name: 'a', method: 99 }], /method 99/],
    ['a wrong checksum', [{ name: 'a', content: Buffer.from('x'), crc: 1 }], /damaged \(checksum\)/],
    [
      'more content than the headers say',
      [{ name: 'a', content: Buffer.alloc(1_000_000), size: 10 }],
      /too many bytes/,
    ],
    [
      'less content than the headers say',
      [{ name: 'a', content: Buffer.from('x'), size: 10 }],
      /not enough bytes/,
    ],
  ])('%s', async (_case, entries, message) => {
    await expect(readBarArchive(forge(entries))).rejects.toMatchObject({
      code: 400,
      message: expect.stringMatching(message),
      detail: { id: 'WORKFLOW_BAD_ARCHIVE' },
    });
  });

  test.each([
    ['text', Buffer.from('no zip at all')],
    ['nothing', Buffer.alloc(0)],
    ['half a file', forge([{ name: 'a', content: Buffer.from('x') }]).subarray(0, 30)],
  ])('%s instead of a zip', async (_case, file) => {
    await expect(readBarArchive(file)).rejects.toMatchObject({
      code: 400,
      detail: { id: 'WORKFLOW_BAD_ARCHIVE' },
    });
  });

  test.each<[string, object]>([
    ['more bytes than a file may have', { packedBytes: 50 }],
    ['a bomb: one entry that unpacks to more than one may', { entryBytes: 99_999 }],
    ['a bomb: entries that unpack to more than all may', { totalBytes: 299_999 }],
    ['more entries than an archive may have', { entries: 2 }],
  ])('%s', async (_case, limits) => {
    const content = Buffer.alloc(100_000);
    const file = forge(['a', 'b', 'c'].map((name) => ({ name, content })));
    expect(file.length).toBeLessThan(1000);
    await expect(read(file, limits)).rejects.toMatchObject({
      code: 413,
      detail: { id: 'WORKFLOW_ARCHIVE_TOO_LARGE' },
    });
  });

  test('every single damaged byte ends in a clear answer or the same content', async () => {
    const file = forge([{ name: 'a.xml', content: Buffer.from('<definitions>'.repeat(5)) }]);
    for (let at = 0; at < file.length; at++) {
      const broken = Buffer.from(file);
      broken[at] = broken[at]! ^ 0xff;
      const outcome = await readBarArchive(broken).catch((error: { code?: number }) => error.code ?? error);
      expect(outcome instanceof Map || outcome === 400 || outcome === 413, `byte ${at}`).toBe(true);
    }
  });
});
