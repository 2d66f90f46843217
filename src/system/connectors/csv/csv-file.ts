import { randomUUID } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Info, parse } from 'csv-parse';
import { ConnectorError } from '../../contract.ts';
import { withLock } from './file-lock.ts';
import { decoded, detectEncoding, encoded, type TextEncoding } from './text-encoding.ts';

export interface CsvFormat {
  readonly delimiter: string;
  readonly quote: string;
  readonly newline: string;
  readonly encoding: TextEncoding;
}

/** The most characters of one row: a cell may be large, and is held in memory. */
const MOST_ROW_CHARACTERS = 16_777_216;
/** A file that was written longer ago is no other one with the same time of writing. */
const SETTLED_MS = 2_000;
/** The most bytes of a file whose rows are kept. */
const MOST_KEPT_BYTES = 8_388_608n;
/** How much of a new file is handed to the disk at once. */
const WRITTEN_AT_ONCE = 262_144;

export type Row = readonly string[];

/** A file with rows of cells below a row of names. It is never changed in place: whoever reads it reads all of one version. */
export class CsvFile {
  readonly #path: string;
  readonly #format: CsvFormat;

  constructor(path: string, format: CsvFormat) {
    this.#path = path;
    this.#format = format;
  }

  /** Whether it stands for the newest of several, which somebody else puts there. */
  get isPattern(): boolean {
    return basename(this.#path).includes('*');
  }

  /** @throws ConnectorError `unavailable` when there is none, `invalid` for a header that is none */
  async header(signal: AbortSignal): Promise<Row> {
    const rows = this.rows(signal);
    try {
      const { value } = await rows.next();
      if (value === undefined) throw new ConnectorError('misconfigured', `'${this.#path}' has no header`);
      return value;
    } finally {
      await rows.return();
    }
  }

  /**
   * Which version it is, where that is small enough to be kept, and old enough that nothing else can bear its time of writing.
   *
   * @throws ConnectorError `unavailable` when there is none
   */
  async version(): Promise<string | undefined> {
    const path = await this.#resolved();
    const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true }).catch((error: unknown) => {
      throw asError(path, error);
    });
    const isOld = BigInt(Date.now() - SETTLED_MS) * 1_000_000n > mtimeNs;
    return isOld && size <= MOST_KEPT_BYTES ? [path, dev, ino, size, mtimeNs].join(' ') : undefined;
  }

  /**
   * All rows, the header first.
   *
   * @throws ConnectorError `conflict` when somebody writes it meanwhile, `protocol` for what is no CSV
   */
  async *rows(signal: AbortSignal): AsyncGenerator<Row, void, undefined> {
    const path = await this.#resolved();
    const file = await opened(path);
    try {
      const before = await file.stat({ bigint: true });
      const { encoding } = await detectEncoding(file, this.#format.encoding);
      const { delimiter, quote } = this.#format;
      const parser = parse({
        delimiter,
        quote: quote === '' ? false : quote,
        // As it is written: within quotes, one of them is two of them.
        escape: quote === '' ? false : quote,
        bom: false,
        info: true,
        skip_empty_lines: true,
        max_record_size: MOST_ROW_CHARACTERS,
      });
      const source = decoded(file, encoding, signal);
      source.once('error', (error) => parser.destroy(error));
      source.pipe(parser);
      const records: AsyncIterable<{ info: Info; record: string[] }> = parser;
      try {
        for await (const { record } of records) yield record;
      } catch (error) {
        throw signal.aborted ? new ConnectorError('timeout', 'Reading was ended') : asError(path, error);
      } finally {
        source.destroy();
      }
      const after = await file.stat({ bigint: true });
      if (before.size !== after.size || before.mtimeNs !== after.mtimeNs) {
        throw new ConnectorError('conflict', `'${path}' was written while it was read`);
      }
    } finally {
      await file.close();
    }
  }

  /**
   * Puts another version in its place.
   *
   * @param change makes the rows of it, the header first, out of those that there are
   */
  async rewrite(
    change: (rows: AsyncIterable<Row>) => AsyncIterable<Row>,
    signal: AbortSignal,
  ): Promise<void> {
    if (this.isPattern) {
      throw new ConnectorError(
        'notSupported',
        `'${this.#path}' stands for files of somebody else, and is only read`,
      );
    }
    await withLock(`${this.#path}.lock`, signal, async () => {
      const temporary = join(dirname(this.#path), `.${basename(this.#path)}.${randomUUID()}`);
      try {
        await this.#write(temporary, change(this.rows(signal)), signal);
        await rename(temporary, this.#path);
      } catch (error) {
        throw asError(this.#path, error);
      } finally {
        await rm(temporary, { force: true });
      }
    });
  }

  async #write(path: string, rows: AsyncIterable<Row>, signal: AbortSignal): Promise<void> {
    const current = await opened(this.#path);
    const { mode } = await current.stat();
    const { encoding, mark } = await detectEncoding(current, this.#format.encoding).finally(() =>
      current.close(),
    );
    const file = await open(path, 'wx', mode);
    try {
      await file.write(mark);
      let text = '';
      const flush = async () => {
        signal.throwIfAborted();
        await file.write(encoded(text, encoding));
        text = '';
      };
      for await (const row of rows) {
        text += this.#line(row);
        if (text.length > WRITTEN_AT_ONCE) await flush();
      }
      await flush();
      await file.sync();
    } finally {
      await file.close();
    }
  }

  #line(row: Row): string {
    const { delimiter, quote, newline } = this.#format;
    return row.map((cell) => quoted(cell, delimiter, quote)).join(delimiter) + newline;
  }

  /** The path of the file; of several that match, the newest. */
  async #resolved(): Promise<string> {
    if (!this.isPattern) return this.#path;
    const folder = dirname(this.#path);
    const [before = '', after = ''] = basename(this.#path).split('*');
    const names = await readdir(folder).catch((error: unknown) => {
      throw asError(folder, error);
    });
    const fitting = names.filter(
      (name) =>
        name.length >= before.length + after.length &&
        name.startsWith(before) &&
        name.endsWith(after) &&
        !name.startsWith('.'),
    );
    const files = await Promise.all(
      fitting.map(async (name) => ({ path: join(folder, name), ...(await stat(join(folder, name))) })),
    );
    const [newest] = files.sort(
      (one, other) => other.mtimeMs - one.mtimeMs || (one.path < other.path ? 1 : -1),
    );
    if (newest === undefined) throw new ConnectorError('unavailable', `There is no file '${this.#path}'`);
    return newest.path;
  }
}

/** @throws ConnectorError `invalid` for what cannot be written without quotes */
function quoted(cell: string, delimiter: string, quote: string): string {
  const isPlain =
    !cell.includes(delimiter) && !/[\r\n]|^\s|\s$|^$/.test(cell) && (quote === '' || !cell.includes(quote));
  if (isPlain || cell === '') return cell;
  if (quote === '')
    throw new ConnectorError('invalid', `'${cell.slice(0, 100)}' cannot be written without quotes`);
  return quote + cell.replaceAll(quote, quote + quote) + quote;
}

async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    throw asError(path, error);
  }
}

const KINDS: Readonly<Record<string, 'unavailable' | 'denied' | 'misconfigured'>> = {
  ENOENT: 'unavailable',
  EACCES: 'denied',
  EPERM: 'denied',
  EISDIR: 'misconfigured',
  ENOTDIR: 'misconfigured',
  EROFS: 'denied',
};

function asError(path: string, error: unknown): unknown {
  if (error instanceof ConnectorError || !(error instanceof Error)) return error;
  const code = 'code' in error ? String(error.code) : '';
  if (code.startsWith('CSV_')) {
    return new ConnectorError('protocol', `'${path}' is no CSV: ${error.message}`, {
      nativeCode: code,
      cause: error,
    });
  }
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
    return new ConnectorError('protocol', `'${path}' is written in another encoding`, { cause: error });
  }
  if (error.name === 'AbortError') return new ConnectorError('timeout', 'It was ended', { cause: error });
  const kind = KINDS[code] ?? 'unavailable';
  const why = code === 'ENOENT' ? `There is no file '${path}'` : `'${path}': ${error.message}`;
  return new ConnectorError(kind, why, { nativeCode: code, cause: error });
}
