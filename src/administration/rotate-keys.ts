import { type KeyRingText, Rewrapper } from '#crypto/index.ts';
import type { Db } from '#database/index.ts';
import type { JsonValue } from '#json/index.ts';
import { findSealed, replaceSealed, SEALED_COLUMNS, type SealedColumn } from './sealed-value-repository.ts';

export interface RotationProgress {
  readonly title: string;
  /** Rows with encrypted values that were looked at. */
  readonly seen: number;
  readonly rewritten: number;
  /** Left as they are: a key is missing, or the value is damaged. */
  readonly failures: readonly { readonly row: string; readonly message: string }[];
  /** Changed by somebody else meanwhile; another run finds them. */
  readonly missed: number;
  readonly isDone: boolean;
}

export interface RotationOptions {
  readonly ring: KeyRingText;
  readonly batch?: number;
  readonly onProgress: (progress: RotationProgress) => void;
}

/**
 * Encrypts every stored value again that is not under the key in use of its alias, while nodes go on working. Each row is
 * a transaction of its own and says itself which key it is under, so a run that was broken off is simply run again.
 *
 * @returns rows that are still under other keys
 */
export async function rotateKeys(db: Db, options: RotationOptions): Promise<number> {
  const rewrapper = new Rewrapper(options.ring);
  let left = 0;
  for (const column of SEALED_COLUMNS) left += await rotateColumn(db, column, rewrapper, options);
  return left;
}

async function rotateColumn(
  db: Db,
  column: SealedColumn,
  rewrapper: Rewrapper,
  { batch = 200, onProgress }: RotationOptions,
): Promise<number> {
  const failures: { row: string; message: string }[] = [];
  const count = { seen: 0, rewritten: 0, missed: 0 };
  const tell = (isDone: boolean) => onProgress({ title: column.title, ...count, failures, isDone });
  for (let rows = await findSealed(db, column, undefined, batch); rows.length > 0; ) {
    for (const row of rows) {
      count.seen++;
      try {
        const before = JSON.parse(row.text) as JsonValue;
        const after = rewrapper.rewrap(before);
        if (after === before) continue;
        const text = JSON.stringify(after, null, column.isText ? 2 : undefined);
        if (await replaceSealed(db, column, row, text)) count.rewritten++;
        else count.missed++;
      } catch (error) {
        failures.push({ row: row.keys.join('/'), message: (error as Error).message });
      }
    }
    tell(false);
    rows = await findSealed(db, column, rows.at(-1)!.keys, batch);
  }
  tell(true);
  return failures.length + count.missed;
}
