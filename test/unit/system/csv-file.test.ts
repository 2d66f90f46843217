import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CsvFile, type Row } from '#system/connectors/csv/csv-file.ts';
import type { TextEncoding } from '#system/connectors/csv/text-encoding.ts';

describe('a CSV file', () => {
  const { signal } = new AbortController();
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-csv-'));
    path = join(folder, 'people.csv');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const fileIn = (encoding: TextEncoding, at = path) =>
    new CsvFile(at, { delimiter: ';', quote: '"', newline: '\r\n', encoding });
  const all = async (rows: AsyncIterable<Row>) => {
    const read: Row[] = [];
    for await (const row of rows) read.push(row);
    return read;
  };
  const rowsOf = (file: CsvFile) => all(file.rows(signal));
  async function* withOneMore(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
    yield* rows;
    yield ['3', 'Ö;"x"'];
  }

  const texts: readonly (readonly [string, TextEncoding, Buffer])[] = [
    ['UTF-8', 'utf-8', Buffer.from('id;name\r\n1;Zoë\r\n')],
    ['UTF-8 with a mark', 'iso-8859-1', Buffer.from('\ufeffid;name\r\n1;Zoë\r\n')],
    ['UTF-16 with a mark', 'utf-8', Buffer.from('\ufeffid;name\r\n1;Zoë\r\n', 'utf16le')],
    ['ISO 8859-1', 'iso-8859-1', Buffer.from('id;name\r\n1;Zoë\r\n', 'latin1')],
  ];

  it.each(texts)('in %s is read, and written as it was', async (_, encoding, bytes) => {
    await writeFile(path, bytes);
    const file = fileIn(encoding);
    expect(await rowsOf(file)).toEqual([
      ['id', 'name'],
      ['1', 'Zoë'],
    ]);
    await file.rewrite(withOneMore, signal);
    expect((await rowsOf(file)).at(-1)).toEqual(['3', 'Ö;"x"']);
    const written = await readFile(path);
    expect(written.subarray(0, bytes.length)).toEqual(bytes);
    expect(await readdir(folder)).toEqual(['people.csv']);
  });

  it.each(['"', "'", '|'])(
    'is read as it was written, whatever stands in its cells, in quotes %s',
    async (quote) => {
      const pieces = [quote, '"', "'", ';', '\n', '\r', '\\', ' ', 'x'];
      const cells = pieces.flatMap((one) =>
        pieces.flatMap((other) => [`${one}${other}`, `x${one}${other}x`]),
      );
      const rows = cells.map((cell, at) => [String(at), cell]);
      await writeFile(path, 'id;name\r\n');
      const file = new CsvFile(path, { delimiter: ';', quote, newline: '\r\n', encoding: 'utf-8' });
      const written = async function* (before: AsyncIterable<Row>): AsyncGenerator<Row> {
        yield* before;
        yield* rows;
      };
      await file.rewrite(written, signal);
      expect((await rowsOf(file)).slice(1)).toEqual(rows);
    },
  );

  it('is not taken for one in an encoding that it is not in', async () => {
    await writeFile(path, Buffer.from('id;name\r\n1;Zoë\r\n', 'latin1'));
    await expect(rowsOf(fileIn('utf-8'))).rejects.toThrow('another encoding');
    await expect(fileIn('utf-8').rewrite(withOneMore, signal)).rejects.toThrow('another encoding');
  });

  it('stays as it was when another version cannot be made', async () => {
    await writeFile(path, Buffer.from('id;name\r\n', 'latin1'));
    async function* strange(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
      yield* rows;
      yield ['1', '漢'];
    }
    await expect(fileIn('iso-8859-1').rewrite(strange, signal)).rejects.toThrow("'漢' cannot be written");
    expect(await readFile(path, 'latin1')).toBe('id;name\r\n');
    expect(await readdir(folder)).toEqual(['people.csv']);
  });

  it('that is written while it is read is no listing', async () => {
    await writeFile(path, 'id;name\r\n1;a\r\n2;b\r\n');
    const reading = fileIn('utf-8').rows(signal);
    await reading.next();
    await appendFile(path, '3;c\r\n');
    await expect(all(reading)).rejects.toThrow('was written while it was read');
  });

  it('is the newest of several, which are not written', async () => {
    await writeFile(join(folder, 'drop-1.csv'), 'id;name\r\n1;old\r\n');
    await writeFile(join(folder, 'drop-2.csv'), 'id;name\r\n1;new\r\n');
    const newest = fileIn('utf-8', join(folder, 'drop-*.csv'));
    expect((await rowsOf(newest))[1]).toEqual(['1', 'new']);
    await expect(newest.rewrite(withOneMore, signal)).rejects.toThrow('only read');
  });
});
