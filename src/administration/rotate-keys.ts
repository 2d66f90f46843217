import type { Rewrapper } from '#crypto/index.ts';
import type { Db } from '#database/index.ts';
import { type KeptValue, rotateRows } from './rotate-rows.ts';
import { findSealed, listSealedTables, type SealedRow, type SealedTable } from './sealed-value-repository.ts';

export interface RotationProgress {
  readonly table: string;
  /** How often all tables have been gone through before, from 0. */
  readonly round: number;
  /** Rows with encrypted values that were looked at. */
  readonly seen: number;
  readonly rewritten: number;
  /** Part of the table that has been looked at, from 0 to 1. */
  readonly done: number;
}

export interface RotationResult {
  /** Values that the ring has sealed, and that stay under an older key. */
  readonly failures: readonly KeptValue[];
  /** What looks like an encrypted value and can be opened with no key of the ring: how many rows, and the first of them. */
  readonly foreign: { readonly rows: number; readonly first: readonly KeptValue[] };
  /** False when the last round still found something: somebody goes on encrypting with an older key. */
  readonly isSettled: boolean;
}

export const BLOCKS = 256;
export const BATCH = 200;
export const MAX_ROUNDS = 5;
/** Anybody may write something that looks encrypted, as often as they like. */
export const MOST_TOLD = 10;

/**
 * Encrypts every stored value again that is not under the key in use of its alias, while nodes go on working. A batch of
 * rows is one statement, and a row says itself which key it is under, so a rotation that was broken off goes on where it
 * was when it is run again. All tables are gone through until a round finds nothing to do: a row that somebody changes
 * may move behind the reader.
 */
export async function rotateKeys(
  db: Db,
  rewrapper: Rewrapper,
  onProgress: (progress: RotationProgress) => void,
): Promise<RotationResult> {
  for (let round = 0; ; round++) {
    const failures: KeptValue[] = [];
    const foreign: Kept['foreign'] = { rows: 0, first: [] };
    let unsettled = 0;
    for (const table of await listSealedTables(db)) {
      const rotation = new TableRotation(db, table, rewrapper, { failures, foreign });
      for await (const progress of rotation.run()) onProgress({ ...progress, round });
      unsettled += rotation.rewritten + rotation.missed;
    }
    if (unsettled === 0 || round === MAX_ROUNDS - 1) {
      return { failures, foreign, isSettled: unsettled === 0 };
    }
  }
}

interface Kept {
  readonly failures: KeptValue[];
  readonly foreign: { rows: number; readonly first: KeptValue[] };
}

class TableRotation {
  readonly #db: Db;
  readonly #table: SealedTable;
  readonly #rewrapper: Rewrapper;
  readonly #kept: Kept;
  #seen = 0;
  rewritten = 0;
  missed = 0;

  constructor(db: Db, table: SealedTable, rewrapper: Rewrapper, kept: Kept) {
    this.#db = db;
    this.#table = table;
    this.#rewrapper = rewrapper;
    this.#kept = kept;
  }

  async *run(): AsyncGenerator<Omit<RotationProgress, 'round'>> {
    const { name, blocks } = this.#table;
    for (let block = 0; block < blocks; block += BLOCKS) {
      let after = `(${block},0)`;
      let rows: readonly SealedRow[];
      do {
        const range = { after, beforeBlock: Math.min(block + BLOCKS, blocks), limit: BATCH };
        rows = await findSealed(this.#db, this.#table, range);
        await this.#rotate(rows);
        after = rows.at(-1)?.place ?? after;
        const done = Math.min(1, (rows.length < BATCH ? block + BLOCKS : block) / blocks);
        yield { table: name, seen: this.#seen, rewritten: this.rewritten, done };
      } while (rows.length === BATCH);
    }
  }

  async #rotate(rows: readonly SealedRow[]): Promise<void> {
    const rotated = await rotateRows(this.#db, this.#table, this.#rewrapper, rows);
    const { failures, foreign } = this.#kept;
    this.#seen += rotated.sealed;
    this.rewritten += rotated.rewritten;
    this.missed += rotated.missed;
    failures.push(...rotated.failures);
    foreign.rows += rotated.foreign.length;
    foreign.first.push(...rotated.foreign.slice(0, Math.max(0, MOST_TOLD - foreign.first.length)));
  }
}
