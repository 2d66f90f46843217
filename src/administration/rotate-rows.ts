import type { RewrapMemory, Rewrapper } from '#crypto/index.ts';
import type { Db } from '#database/index.ts';
import {
  replaceSealed,
  type SealedChange,
  type SealedRow,
  type SealedTable,
} from './sealed-value-repository.ts';

/** A value that stays as it is, and why. */
export interface KeptValue {
  /** The table and the key of the row. */
  readonly place: string;
  readonly message: string;
}

/** What was found in some rows, and what has become of it. */
export interface RotatedRows {
  /** How many hold something that a key of the ring has sealed. */
  readonly sealed: number;
  readonly rewritten: number;
  /** Locked or changed by somebody else meanwhile. */
  readonly missed: number;
  /** How many values are under each key now, `<alias>:<key>`. */
  readonly values: ReadonlyMap<string, number>;
  readonly failures: readonly KeptValue[];
  /** One for each row with what looks sealed, and was by no key of the ring. */
  readonly foreign: readonly KeptValue[];
}

/** Encrypts what older keys have encrypted in these rows with the keys in use. @param write false only looks */
export async function rotateRows(
  db: Db,
  table: SealedTable,
  rewrapper: Rewrapper,
  rows: readonly SealedRow[],
  write = true,
): Promise<RotatedRows> {
  const failures: KeptValue[] = [];
  const foreign: KeptValue[] = [];
  const values = new Map<string, number>();
  const changes: SealedChange[] = [];
  let sealed = 0;
  for (const row of rows) {
    const memory: RewrapMemory = new Map();
    const place = `${table.name} ${row.key}`;
    const read = row.texts.map((text) => (text === null ? null : rewrapper.rewrap(text, memory)));
    const found = read.filter((one) => one !== null);
    for (const { before, after } of found.flatMap(({ keys }) => keys)) {
      const key = write ? after : before;
      values.set(key, (values.get(key) ?? 0) + 1);
    }
    for (const message of found.flatMap((one) => one.failures)) failures.push({ place, message });
    const strange = found.find((one) => one.foreign !== undefined)?.foreign;
    if (strange !== undefined) foreign.push({ place, message: strange });
    if (found.some((one) => one.sealed > 0)) sealed += 1;
    const texts = read.map((one, at) => (one === null || one.text === row.texts[at] ? null : one.text));
    if (texts.some((text) => text !== null)) changes.push({ row, texts });
  }
  const rewritten = write ? await replaceAlike(db, table, changes) : 0;
  const missed = write ? changes.length - rewritten : 0;
  return { sealed, rewritten, missed, values, failures, foreign };
}

async function replaceAlike(db: Db, table: SealedTable, changes: readonly SealedChange[]): Promise<number> {
  const byColumns = Map.groupBy(changes, ({ texts }) => texts.map((text) => (text === null ? 0 : 1)).join());
  let written = 0;
  for (const alike of byColumns.values()) written += await replaceSealed(db, table, alike);
  return written;
}
