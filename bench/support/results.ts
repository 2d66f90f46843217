import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine, Quietness } from './machine.ts';
import type { Row } from './row.ts';

const FOLDER = new URL('../results/', import.meta.url).pathname;

/** One run of one benchmark: what stands in `results/<name>.json`. */
export interface Result {
  readonly bench: string;
  readonly at: string;
  readonly commit: string;
  readonly seconds: number;
  readonly before: Quietness;
  readonly machine: Machine;
  readonly rows: readonly Row[];
  readonly remarks: readonly string[];
}

export async function readResult(bench: string): Promise<Result | undefined> {
  try {
    return JSON.parse(await readFile(join(FOLDER, `${bench}.json`), 'utf8')) as Result;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Keeps the latest honest result: one from a machine that had something else to do does not replace one from a quiet
 * machine.
 *
 * @returns whether it was kept
 */
export async function keepResult(result: Result): Promise<boolean> {
  const last = await readResult(result.bench);
  if (last?.before.isQuiet === true && !result.before.isQuiet) return false;
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, `${result.bench}.json`), `${JSON.stringify(result, null, 2)}\n`);
  return true;
}
