import type { CsvFile, Row } from './csv-file.ts';

/** Nobody has asked for one of them for so long: they are let go. */
const IDLE_MS = 60_000;

/** The rows of a small file that stays as it is, by their ids: whoever asks for one after the other reads it once. */
export class KeptRows<T extends { readonly columns: { readonly uid: number }; readonly row: Row }> {
  readonly #file: CsvFile;
  #kept: { readonly version: string; readonly rows: ReadonlyMap<string, T> } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(file: CsvFile) {
    this.#file = file;
  }

  /** @param read all of them, as they are now */
  async find(id: string, read: () => AsyncIterable<T>): Promise<T | undefined> {
    const version = await this.#file.version();
    if (version === undefined) {
      for await (const one of read()) if (idOf(one) === id) return one;
      return undefined;
    }
    if (this.#kept?.version !== version) {
      const rows = new Map<string, T>();
      for await (const one of read()) rows.set(idOf(one), one);
      if ((await this.#file.version()) !== version) return rows.get(id);
      this.#kept = { version, rows };
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.forget(), IDLE_MS).unref();
    return this.#kept.rows.get(id);
  }

  forget(): void {
    clearTimeout(this.#timer);
    this.#kept = undefined;
  }
}

function idOf({ columns, row }: { readonly columns: { readonly uid: number }; readonly row: Row }): string {
  return row[columns.uid] ?? '';
}
